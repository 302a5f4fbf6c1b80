// SPDX-License-Identifier: Apache-2.0
#include "hbrctl/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hbrctl/inventory.h"
#include "hbrctl/types.h"
#include "shared/base/cleanup.h"
#include "shared/cni/attachment_links.h"

/* What a runtime says around the document. */
static int make_environment(struct error *err)
{
	static const char *const variables[][2] = {
		{ "CNI_COMMAND", "ADD" },
		{ "CNI_CONTAINERID", CALL_CONTAINER },
		{ "CNI_NETNS", "/run/netns/none" },
		{ "CNI_IFNAME", CALL_IFNAME },
		{ "CNI_ARGS", "" },
	};

	for (size_t i = 0; i < COUNT(variables); i++) {
		if (setenv(variables[i][0], variables[i][1], 1) < 0)
			return error_errno(err, ERROR_INTERNAL, errno, "set %s", variables[i][0]);
	}

	return 0;
}

/* The request comes as a plugin gets it: by a descriptor. */
static int read_request(struct request *request, json_t *config, struct error *err)
{
	auto_close int fd = memfd_create("network", MFD_CLOEXEC);

	if (fd < 0 || json_dumpfd(config, fd, JSON_COMPACT) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_errno(err, ERROR_INTERNAL, errno, "hand over the network");

	return make_environment(err) < 0 ? -1 : request_read(request, fd, err);
}

int call_make(struct call *call, json_t *network, struct error *err)
{
	const struct attachment_type *type = types_find(inventory_text(network, "type"));

	return read_request(&call->request, json_object_get(network, "config"), err) < 0 ||
			       attachment_open(&call->attachment, type, &call->request, false,
					       err) < 0
		       ? -1
		       : attachment_read_values(&call->attachment, err);
}

void call_end(struct call *call)
{
	attachment_close(&call->attachment);
	request_free(&call->request);
}
