import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Route, signature, writeRoute } from './routes.ts';

const response = z.looseObject({ $ref: z.string().optional(), 'x-error-codes': z.array(z.string()).default([]) });
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), response) }))),
  components: z.looseObject({ responses: z.record(z.string(), response) }),
});

/** The codes of each status of each operation in the committed documents, by signature. */
const declared = new Map(
  ['integration', 'practice', 'mobile', 'platform'].flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'openapi', `${name}.json`), 'utf8');
    const { paths, components } = document.parse(JSON.parse(text));
    const listCodes = ({ $ref, 'x-error-codes': codes }: z.infer<typeof response>) =>
      $ref === undefined ? codes : (components.responses[$ref.split('/').at(-1) ?? '']?.['x-error-codes'] ?? []);
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { responses }]): [string, Map<string, string[]>] => [
        signature(method.toUpperCase(), path),
        new Map(Object.entries(responses).map(([status, one]) => [status, listCodes(one)])),
      ]),
    );
  }),
);

/** The codes of a status of an operation, such as `PUT /api/appointments/{}`. */
export const declaredCodes = (operation: string, status: number): readonly string[] => declared.get(operation)?.get(String(status)) ?? [];

/** @throws where a failure has a status or a code that the document of its operation does not declare, or no code */
export function requireDeclared(route: Route, { status, headers }: { status: number; headers: Headers }): void {
  const code = headers.get('error-code');
  const operation = signature(route.method, route.url);
  // An operation without a body refuses one of a wrong type all the same.
  if (status < 400 || status === 415 || !declared.has(operation)) return;
  const codes = declaredCodes(operation, status);
  if (code === null || !codes.includes(code))
    throw new Error(`${writeRoute(route)}: ${status} ${code} is not declared; ${status} has ${codes.join(', ')}`);
}
