import { z } from 'zod';
import { findDepartment, listDepartments } from '../../domain/practices/departments.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { DepartmentShape, departmentChoice, departmentParams, fromDepartment, toChoice, toId } from './departments.wire.ts';
import { pageLinkShapes, pageLinks, paging } from './paging.ts';

/** Departments: the offices of the practice. */
export function departmentRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Departments' });
  get('/departments', {
    operationId: 'listDepartments',
    summary: 'List the departments of the practice',
    query: z.object({ ...departmentChoice, ...paging }),
    response: z.strictObject({
      totalcount: z.int().describe('Number of departments in the whole list'),
      ...pageLinkShapes,
      departments: z.array(DepartmentShape).describe('The departments of this page'),
    }),
    handle: async ({ tx, query, request }) => {
      const { items, total } = await listDepartments(tx, toChoice(query), query, new Date());
      return {
        totalcount: total,
        ...pageLinks(request, query, total),
        departments: items.map(fromDepartment),
      };
    },
  });

  get('/departments/:departmentid', {
    operationId: 'getDepartment',
    summary: 'Read a department',
    params: departmentParams,
    query: z.object(departmentChoice),
    response: z.array(DepartmentShape),
    etag: true,
    handle: async ({ tx, params, query }) => [
      fromDepartment(await findDepartment(tx, toId(params.departmentid), toChoice(query), new Date())),
    ],
  });
}
