# Copyright the muster developers. SPDX-License-Identifier: Apache-2.0
# Spack's recipe; packaging/README.md says how to use it.

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Muster(CMakePackage):
    """Starts distributed training jobs on Slurm: `srun --distributed=torch ./train` gives every
    process its rank, its peers, its cores and the address of rank 0. Consists of a Slurm plugin, a
    program that can also be used without it, and a library for programs."""

    license("Apache-2.0")

    # Not published: `spack dev-build muster@0.2.0` in a checkout.
    version("0.2.0")

    variant("spank", default=True, description="Build the plugin for the Slurm of this site")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("asio", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("pmix", type="build")
    depends_on("hwloc@2.4:")
    depends_on("libsodium")
    depends_on("yaml-cpp")
    depends_on("fmt")
    depends_on("pugixml")
    # Needed for its headers: the plugin finds Slurm's symbols in the process that loads it.
    depends_on("slurm@22-05:", type="build", when="+spank")

    conflicts("%gcc@:10", msg="muster is C++20")
    conflicts("%clang@:13", msg="muster is C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("MUSTER_BUILD_TESTS", False),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            # PREFIX/lib/slurm/muster.so
            self.define("Slurm_LAYOUT", "smd"),
            self.define("MUSTER_PYTHON_LINKS", ""),
            self.define_from_variant("MUSTER_BUILD_SPANK", "spank"),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.share, "muster", "python"))

    @run_after("install", when="+spank")
    def tell_plugstack_line(self):
        tty.msg(
            "Slurm loads muster by this line in plugstack.conf, on all nodes. Root must own the "
            "files, and only root may write to them:",
            "optional {0}".format(join_path(self.prefix.lib, "slurm", "muster.so")),
            "Spack lets users read all files, so the plugin would refuse its agent. Run:",
            "chmod 711 {0}".format(join_path(self.prefix.bin, "muster-agent")),
        )
