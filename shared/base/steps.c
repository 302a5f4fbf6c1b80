// SPDX-License-Identifier: Apache-2.0
#include "shared/base/steps.h"

int steps_apply(const struct step *steps, size_t n, void *ctx, struct error *err)
{
	struct error ignored;

	for (size_t i = 0; i < n; i++) {
		if (steps[i].apply(ctx, err) < 0) {
			(void)steps_revert(steps, i + 1, ctx, &ignored);
			return error_wrap(err, "%s", steps[i].name);
		}
	}

	return 0;
}

int steps_revert(const struct step *steps, size_t n, void *ctx, struct error *err)
{
	struct error failure;
	int r = 0;

	while (n-- > 0) {
		if (!steps[n].revert || (r < 0 && steps[n].holds_on) ||
		    steps[n].revert(ctx, &failure) == 0)
			continue;
		if (r == 0) { /* the first failure is the one to tell */
			*err = failure;
			error_wrap(err, "%s", steps[n].name);
		}
		r = -1;
	}

	return r;
}

int steps_repeat(const struct step *steps, size_t n, void *ctx, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (steps[i].repeat && steps[i].repeat(ctx, err) < 0)
			return error_wrap(err, "%s", steps[i].name);
	}

	return 0;
}
