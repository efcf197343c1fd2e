#include "core/record/record.hpp"

#include "fixtures/random_record.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace muster::record {
namespace {

using namespace std::chrono_literals;

enum class Color : std::uint8_t { red, green, blue };

struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

struct Part {
  std::uint16_t number = 0;
  std::string name;

  friend bool operator==(const Part&, const Part&) = default;
};
template <class Io>
void fields(Io& io, Part& part) {
  io(part.number)(part.name, Max{8});
}

// One field of every kind.
struct Whole {
  bool yes = false;
  Color color = Color::red;
  std::int64_t any = 0;
  std::uint64_t large = 0;
  double amount = 0;
  std::chrono::milliseconds time{0};
  std::chrono::milliseconds near{0};
  std::string start, end, line;
  std::array<unsigned char, 3> key{};
  std::optional<Part> maybe;
  std::optional<std::uint32_t> number;
  std::vector<Part> parts;
  std::vector<std::string> first, last;
  std::map<std::string, std::string> names;
  std::map<std::uint32_t, Part> numbered;
  std::variant<Nothing, Part, std::monostate> one;

  friend bool operator==(const Whole&, const Whole&) = default;
};
template <class Io>
void fields(Io& io, Whole& whole) {
  io(whole.yes)(whole.color, Range{Color::red, Color::blue})(whole.any)(whole.large);
  io(whole.amount, Range{0.0, 1e15})(whole.time, Range{-1h, 24h})(whole.near, Clamp{0ms, 60s});
  io(whole.start, First{10})(whole.end, Last{10})(whole.line, Line{10})(whole.key);
  io(whole.maybe)(whole.number)(whole.parts, Max{3});
  io(whole.first, First{2}, Max{4})(whole.last, Last{2}, Max{4});
  io(whole.names, Max{3}, Max{9}, Max{9})(whole.numbered, Max{3}, Any{})(whole.one);
}

Whole full() {
  return {.yes = true,
          .color = Color::blue,
          .any = std::numeric_limits<std::int64_t>::min(),
          .large = std::numeric_limits<std::uint64_t>::max(),
          .amount = 0.1,
          .time = -5ms,
          .near = 60s,
          .start = "ü\n",
          .end = "",
          .line = "a:b 7",
          .key = {0, 0xAB, 0xFF},
          .maybe = Part{7, std::string("\0:\xFF", 3)},
          .number = 0,
          .parts = {{1, "a"}, {65535, ""}},
          .first = {"1", "2"},
          .last = {"3"},
          .names = {{"NAME", "value"}},
          .numbered = {{4, {5, "6"}}},
          .one = Part{1, "x"}};
}

template <class T>
T through(const T& value) {
  auto read_back = read<T>(write(value));
  EXPECT_TRUE(read_back);
  return read_back.value_or(T{});
}

// A type with one text, to test a limit.
template <class Limit, std::size_t size>
struct Bounded {
  std::string text;
};
template <class Io, class Limit, std::size_t size>
void fields(Io& io, Bounded<Limit, size>& bounded) {
  io(bounded.text, Limit{size});
}

template <class Limit>
std::string written(const std::string& text) {
  return through(Bounded<Limit, 8>{text}).text;
}

TEST(RecordTest, BringsAValueBack) {
  EXPECT_EQ(through(full()), full());
  EXPECT_EQ(through(Whole()), Whole());
}

TEST(RecordTest, BringsEveryValueBackAndNothingElse) {
  fixtures::expect_one_form<Whole>();
  fixtures::expect_one_form<Part>();
}

TEST(RecordTest, IsOneLineWithoutAZeroByteAsItsTextsAre) {
  const auto text = write(Part{7, "name"});
  EXPECT_EQ(text.substr(text.find(' ')), " 7 4:name");
}

TEST(RecordTest, MakesALongTextFit) {
  EXPECT_EQ(written<First>("0123456789"), "01234567");
  EXPECT_EQ(written<Last>("0123456789"), "23456789");
  EXPECT_EQ(written<Line>("a\nb\tc\x7F"), "a b c ");
  EXPECT_EQ(written<Line>("a\xFFz\n\x1B[31m"), "a\xEF\xBF\xBDz  [");
}

TEST(RecordTest, CutsBetweenCharacters) {
  EXPECT_EQ(written<First>("1234567ü"), "1234567");
  EXPECT_EQ(written<Last>("ü1234567"), "1234567");
  EXPECT_EQ(written<First>("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"), "\xE2\x82\xAC\xE2\x82\xAC");
}

// A text that must arrive unchanged or not at all.
TEST(RecordTest, RefusesATextThatIsTooLong) {
  EXPECT_EQ(written<Max>("01234567"), "01234567");
  EXPECT_FALSE((read<Bounded<Max, 8>>(write(Bounded<Max, 9>{"012345678"}))));
  EXPECT_FALSE((read<Bounded<First, 8>>(write(Bounded<Max, 9>{"012345678"}))));
}

TEST(RecordTest, RefusesATextOfAnotherKind) {
  EXPECT_FALSE((read<Bounded<First, 8>>(write(Bounded<Max, 8>{"\xFF"}))));
  EXPECT_FALSE((read<Bounded<Line, 8>>(write(Bounded<Max, 8>{"a\nb"}))));
  EXPECT_TRUE((read<Bounded<First, 8>>(write(Bounded<Max, 8>{"a\nb"}))));
}

TEST(RecordTest, KeepsTheBeginningOrTheEndOfAList) {
  auto whole = full();
  whole.first = {"1", "2", "3"};
  whole.last = {"1", "2", "3"};
  EXPECT_EQ(through(whole).first, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(through(whole).last, (std::vector<std::string>{"2", "3"}));
}

template <class T, class Limit>
struct Alone {
  T value{};
};
template <class Io, class T, class Limit>
void fields(Io& io, Alone<T, Limit>& alone) {
  io(alone.value, Limit::value);
}
struct AnyNumber {
  static constexpr Any value{};
};
struct SmallNumber {
  static constexpr Range value{1, 9};
};
struct Few {
  static constexpr Max value{9};
};
struct Amount {
  static constexpr Range value{0.0, 9.5};
};

// The text of a number in a frame of such a type.
template <class T, class Limit>
std::optional<T> number_in(const std::string& text) {
  const auto frame = write(Alone<T, Limit>{});
  const auto found = read<Alone<T, Limit>>(frame.substr(0, frame.find(' ') + 1) + text);
  return found ? std::optional<T>(found->value) : std::nullopt;
}

TEST(RecordTest, RefusesANumberOutOfItsRange) {
  EXPECT_EQ((number_in<int, SmallNumber>("9 ")), 9);
  EXPECT_EQ((number_in<double, Amount>("9.5 ")), 9.5);
  EXPECT_EQ((number_in<std::int8_t, AnyNumber>("-128 ")), -128);
  for (const auto* const text : {"0 ", "10 ", "-1 ", "9", "9:", "9.5 ", "x ", " 9 ", "+9 ", "", " ",
                                 "99999999999999999999 "})
    EXPECT_FALSE((number_in<int, SmallNumber>(text))) << text;
  for (const auto* const text : {"nan ", "inf ", "-0.5 ", "9.6 ", "1e400 "})
    EXPECT_FALSE((number_in<double, Amount>(text))) << text;
  for (const auto* const text : {"-129 ", "128 "})
    EXPECT_FALSE((number_in<std::int8_t, AnyNumber>(text))) << text;
  for (const auto* const text : {"2 ", "-1 "})
    EXPECT_FALSE((number_in<bool, AnyNumber>(text))) << text;
}

TEST(RecordTest, ClampsWhatItWritesOnly) {
  auto whole = full();
  whole.near = 5min;
  EXPECT_EQ(through(whole).near, 60s);
  whole.near = -1ms;
  EXPECT_EQ(through(whole).near, 0ms);
}

TEST(RecordTest, RefusesAListThatIsTooLongOrLongerThanItsText) {
  auto whole = full();
  whole.parts.resize(4);
  EXPECT_FALSE(read<Whole>(write(whole)));
  const auto text = write(Alone<std::vector<Part>, Few>{});
  EXPECT_TRUE((read<Alone<std::vector<Part>, Few>>(text)));
  for (const auto* const count : {"1 ", "9 ", "10 ", "4294967295 ", "18446744073709551615 "})
    EXPECT_FALSE((read<Alone<std::vector<Part>, Few>>(text.substr(0, text.size() - 2) + count)));
}

struct Checked {
  int low = 0;
  int high = 0;
};
template <class Io>
void fields(Io& io, Checked& checked) {
  io(checked.low)(checked.high).require(checked.low <= checked.high);
}

TEST(RecordTest, RefusesWhatItsTypeDoesNotAllow) {
  EXPECT_TRUE(read<Checked>(write(Checked{1, 2})));
  EXPECT_FALSE(read<Checked>(write(Checked{2, 1})));
}

struct Word {
  std::string word;
};
template <class Io>
void fields(Io& io, Word& word) {
  io.through(
      word.word, [](const auto& plain) { return '<' + plain + '>'; },
      [](std::string text) {
        const bool framed = text.size() >= 2 && text.front() == '<' && text.back() == '>';
        return framed ? std::optional(text.substr(1, text.size() - 2)) : std::nullopt;
      },
      Max{6});
}

TEST(RecordTest, ReadsATypeByItsOwnText) {
  const auto text = write(Word{"word"});
  EXPECT_EQ(read<Word>(text)->word, "word");
  auto other = text;
  other[other.find('<')] = '{';
  EXPECT_FALSE(read<Word>(other));
}

// The same text except for one field, as another version would write it.
struct Older {
  std::uint16_t number = 0;
};
template <class Io>
void fields(Io& io, Older& older) {
  io(older.number);
}
struct Other {
  std::string name;
  std::uint16_t number = 0;
};
template <class Io>
void fields(Io& io, Other& other) {
  io(other.name, Max{8})(other.number);
}
struct Holder {
  std::vector<Part> parts;
};
template <class Io>
void fields(Io& io, Holder& holder) {
  io(holder.parts, Max{8});
}
struct OtherHolder {
  std::vector<Other> parts;
};
template <class Io>
void fields(Io& io, OtherHolder& holder) {
  io(holder.parts, Max{8});
}

TEST(RecordTest, RefusesAnotherVersionsText) {
  EXPECT_FALSE(read<Part>(write(Older{7})));
  EXPECT_FALSE(read<Older>(write(Part{7, "x"})));
  EXPECT_FALSE(read<Other>(write(Part{7, "x"})));
  EXPECT_FALSE(read<OtherHolder>(write(Holder{}))) << "though nothing of the other type is in it";
}

TEST(RecordTest, ReadsAViewOfTheText) {
  Writer writer;
  std::string_view bytes = "bytes";
  writer(bytes, Max{5});
  const auto text = writer.take();
  std::string_view seen;
  Reader reader(text);
  reader(seen, Max{5});
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(seen.data(), text.data() + 2);
}

}  // namespace
}  // namespace muster::record
