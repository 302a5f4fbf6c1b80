// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "hbrctl/inventory.h"
#include "hbrctl/restore.h"
#include "hbrctl/unowned.h"

static void print_why(json_t *entry)
{
	const char *why = inventory_text(entry, "why");

	printf("%s%s\n", why[0] ? ": " : "", why);
}

static void print_domain(json_t *domain)
{
	printf("%-8s domain %s", inventory_text(domain, "did"), inventory_text(domain, "name"));
	print_why(domain);
}

static void print_attachment(json_t *attachment)
{
	json_t *pod = json_object_get(attachment, "pod");

	printf("%-8s interface %s of container %s", inventory_text(attachment, "did"),
	       inventory_text(attachment, "interface"), inventory_text(attachment, "container"));
	if (inventory_text(pod, "name")[0])
		printf(" (%s/%s)", inventory_text(pod, "namespace"), inventory_text(pod, "name"));
	print_why(attachment);
}

/* Whose port it is stands in its alias. */
static void print_unknown(json_t *link)
{
	const char *whose = strstr(inventory_text(link, "alias"), ":port:");

	printf("unknown  %s %s in the %s", inventory_text(link, "kind"),
	       inventory_text(link, "name"), inventory_text(link, "in"));
	if (whose)
		printf(", %s", whose + strlen(":port:"));
	puts(unowned_is_port(link)
		     ? ": nobody remembers its pod's network and addresses: DEL it, or end the pod"
		     : ": nobody remembers what it was part of: an ADD on its network makes that "
		       "whole, hbrctl gc removes it");
}

static void print_each(json_t *list, void (*print)(json_t *entry))
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		print(entry);
}

void restore_print(json_t *answer)
{
	print_each(json_object_get(answer, "domains"), print_domain);
	print_each(json_object_get(answer, "attachments"), print_attachment);
	print_each(json_object_get(answer, "unknown"), print_unknown);
}
