// Tests of the names of arguments in errors.
#include <cmath>

#include "solver/api/argument.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("every argument has a name of its own that leads back to it") {
  for (int i = 0; i <= static_cast<int>(Argument::other); ++i) {
    const auto argument = static_cast<Argument>(i);
    CHECK(argument_of(name(argument)) == argument);
    CHECK(InvalidArgument(argument, "is null").argument() == argument);
  }
}

TEST_CASE("an error that a lower floor throws by name has the solver's argument, or other") {
  const InvalidArgument known("lda", "is 1"), unknown("kd", "is 7");
  CHECK(known.argument() == Argument::lda);
  CHECK(known.what() == std::string("argument lda: is 1"));
  CHECK(unknown.argument() == Argument::other);
  CHECK(unknown.parameter() == "kd");
  CHECK(NonFiniteEntry(0, 1, HUGE_VAL, "b").argument() == Argument::b);
  CHECK(NonFiniteEntry(0, 1, HUGE_VAL).argument() == Argument::a);
}
