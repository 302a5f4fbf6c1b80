// SPDX-License-Identifier: Apache-2.0
#include "plugins/hbr-l2/type.h"
#include "shared/cni/verbs.h"

int main(void)
{
	return verbs_main(&l2_type);
}
