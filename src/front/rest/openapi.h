/* SPDX-License-Identifier: Apache-2.0 */
/* The description of this front by OpenAPI 3.1, made from its route table, the tables of the tools
 * and the schemas of what routes give (schemas.c). Each tool has an operation of its own, so that
 * clients that are generated from it have a function for each. */
#pragma once

#include "core/front.h"

/* GET /api/openapi.json */
void tb_rest_openapi(struct tb_front_req *req);
/* The same with the table that it is about. */
void tb_rest_openapi_reply(struct tb_front_req *req, const struct tb_route *routes, size_t count);

/* What is given, by its name in the document; an answer may have more members than its table. */
struct tb_rest_schema {
    const char *name;
    const struct tb_param *members;
};

/* Ended by a NULL name. schemas.c */
extern const struct tb_rest_schema tb_rest_schemas[];
