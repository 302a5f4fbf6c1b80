// SPDX-License-Identifier: Apache-2.0
#include "shared/base/steps.h"

#include "shared/base/cleanup.h"
#include "test/unit/unit.h"

/* The steps write what they do into the context, and those named in "broken" fail. */
struct diary {
	char text[64];
	const char *broken;
};

static int note(void *ctx, const char *what, struct error *err)
{
	struct diary *diary = ctx;
	size_t len = strlen(diary->text);

	snprintf(diary->text + len, sizeof(diary->text) - len, "%s", what);
	if (!strstr(diary->broken, what))
		return 0;
	error_set(err, ERROR_IO, "%s broke", what);

	return error_details(err, "details of %s", what);
}

/* clang-format off */
#define STEP(fn, text)                                                               \
	static int fn(void *ctx, struct error *err) { return note(ctx, text, err); }
STEP(apply_1, "+1")
STEP(apply_2, "+2")
STEP(apply_3, "+3")
STEP(revert_1, "-1")
STEP(revert_3, "-3")
STEP(repeat_2, "=2")
STEP(repeat_3, "=3")
/* clang-format on */

static const struct step steps[] = {
	{ "one", apply_1, revert_1, NULL, true },  /* nothing of it can be lost */
	{ "two", apply_2, NULL, repeat_2, false }, /* nothing to revert */
	{ "three", apply_3, revert_3, repeat_3, false },
};

typedef int run_fn(const struct step *steps, size_t n, void *ctx, struct error *err);

static void check_run(run_fn *run, const char *broken, const char *done, const char *msg)
{
	struct diary diary = { .broken = broken };
	struct error err = { .code = 77, .msg = "untouched" };
	int r = run(steps, COUNT(steps), &diary, &err);

	check_str(diary.text, done);
	if (!msg) {
		check(r == 0);
		check(err.code == 77);
		check_str(err.msg, "untouched");
	} else {
		check_error(r, &err, ERROR_IO, msg);
	}
}

/* A step that does not hold on is reverted whatever broke after it; the first failure is told. */
static void goes_on(void)
{
	static const struct step free_steps[] = {
		{ "one", apply_1, revert_1, NULL, false },
		{ "three", apply_3, revert_3, NULL, false },
	};
	struct diary diary = { .broken = "-3 -1" };
	struct error err = { 0 };

	check_error(steps_revert(free_steps, COUNT(free_steps), &diary, &err), &err, ERROR_IO,
		    "three: -3 broke");
	check_str(diary.text, "-3-1");
}

static void keeps_details(void)
{
	struct diary diary = { .broken = "+2 -1" };
	struct error err = { 0 };

	/* What went wrong first is told, whatever goes wrong while it is reverted. */
	check_error(steps_apply(steps, COUNT(steps), &diary, &err), &err, ERROR_IO,
		    "two: +2 broke");
	check_str(err.details, "details of +2");
}

int main(void)
{
	check_run(steps_apply, "", "+1+2+3", NULL);
	check_run(steps_apply, "+3", "+1+2+3-3-1", "three: +3 broke"); /* half-way: reverted too */
	check_run(steps_apply, "+2", "+1+2-1", "two: +2 broke");
	check_run(steps_apply, "+1", "+1-1", "one: +1 broke");
	/* What holds on is kept, to try again with. */
	check_run(steps_apply, "+3 -3", "+1+2+3-3", "three: +3 broke");

	check_run(steps_revert, "", "-3-1", NULL);
	check_run(steps_revert, "-1", "-3-1", "one: -1 broke");
	check_run(steps_revert, "-3", "-3", "three: -3 broke");

	check_run(steps_repeat, "", "=2=3", NULL);
	check_run(steps_repeat, "=2", "=2", "two: =2 broke"); /* nothing is reverted */

	goes_on();
	keeps_details();

	return 0;
}
