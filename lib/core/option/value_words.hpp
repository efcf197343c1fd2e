// The words for the values of the option's types.
#pragma once

#include "core/option/value_types.hpp"
#include "core/option/words.hpp"

#include <array>

namespace muster::option {

template <>
inline constexpr auto words_of<Bind> =
    std::array{Word{"auto", Bind::auto_},         Word{"none", Bind::none},
               Word{"core", Bind::core},          Word{"l3", Bind::l3},
               Word{"numa", Bind::numa},          Word{"socket", Bind::socket},
               Word{"exclusive", Bind::exclusive}};

template <>
inline constexpr auto words_of<Memory> = std::array{
    Word{"local", Memory::local}, Word{"strict", Memory::strict}, Word{"none", Memory::none}};

template <>
inline constexpr auto words_of<Gpus> =
    std::array{Word{"shared", Gpus::shared}, Word{"own", Gpus::own}};

template <>
inline constexpr auto words_of<Ranks> =
    std::array{Word{"slurm", Ranks::slurm}, Word{"contiguous", Ranks::contiguous}};

template <>
inline constexpr auto words_of<Store> =
    std::array{Word{"rank0", Store::rank0}, Word{"agent", Store::agent}};

template <>
inline constexpr auto words_of<Streams> =
    std::array{Word{"out", Streams::out}, Word{"err", Streams::err}};

template <>
inline constexpr auto words_of<View::Show> = std::array{
    Word{"first", View::Show::first}, Word{"all", View::Show::all}, Word{"none", View::Show::none}};

template <>
inline constexpr auto words_of<Prefix> =
    std::array{Word{"auto", Prefix::auto_}, Word{"rank", Prefix::rank}, Word{"node", Prefix::node},
               Word{"none", Prefix::none}};

template <>
inline constexpr auto words_of<Exit> =
    std::array{Word{"first", Exit::first}, Word{"slurm", Exit::slurm}};

}  // namespace muster::option
