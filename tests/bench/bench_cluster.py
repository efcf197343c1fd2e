"""A cluster for one case: scripts/cluster brings it up, and takes it down whatever happens."""

import contextlib
import pathlib
import subprocess

from case import CHECKOUT, say


class Cluster:
    """`words` start every scripts/cluster command."""

    def __init__(self, name):
        self.name = name
        self.words = [str(CHECKOUT / "scripts/cluster"), "--name", name]

    def run(self, *words, **more):
        return subprocess.run([*self.words, *words], check=True, **more)

    def as_user(self, user, *words):
        """The command line that runs a command as this user on the login node."""
        return [*self.words, "exec", "--user", user, "--", *words]

    @property
    def prefix(self):
        """Where muster is installed, on all nodes."""
        return pathlib.Path(self.run("prefix", capture_output=True, text=True).stdout.strip())

    @property
    def state(self):
        """A folder that all nodes see."""
        return self.prefix.parent


@contextlib.contextmanager
def running_cluster(name, build, *options):
    """`options`: further options of `scripts/cluster up`."""
    cluster = Cluster(name)
    say(f"a cluster {' '.join(options)}")
    cluster.run("down", stdout=subprocess.DEVNULL)
    cluster.run("up", "--build", str(build), *options, stdout=subprocess.DEVNULL)
    try:
        yield cluster
    finally:
        cluster.run("down", stdout=subprocess.DEVNULL)
