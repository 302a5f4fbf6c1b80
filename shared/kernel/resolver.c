// SPDX-License-Identifier: Apache-2.0
/*
 * libnl can look up the names of hosts and protocols, and a static program gets the C library's
 * whole resolver for that, a tenth of its size. Nothing here asks for a name: in static builds
 * these take its place, and know none.
 */
#include <netdb.h>
#include <stddef.h>
#include <sys/socket.h>

// The signatures are not ours.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size)
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **result)
{
	(void)node;
	(void)service;
	(void)hints;
	*result = NULL;

	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *result)
{
	(void)result;
}

const char *gai_strerror(int code)
{
	(void)code;

	return "no names are looked up";
}

int getnameinfo(const struct sockaddr *address, socklen_t size, char *host, socklen_t host_size,
		char *service, socklen_t service_size, int flags)
{
	(void)address;
	(void)size;
	(void)host;
	(void)host_size;
	(void)service;
	(void)service_size;
	(void)flags;

	return EAI_FAIL;
}

struct protoent *getprotobyname(const char *name)
{
	(void)name;

	return NULL;
}

struct protoent *getprotobynumber(int number)
{
	(void)number;

	return NULL;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
