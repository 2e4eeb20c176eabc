import { readFileSync } from 'node:fs';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Dialect } from '../endpoints/dialect.ts';
import { type ErrorEntry, readErrorTable } from '../errors/error-table.ts';

interface Operation {
  method: string;
  schema: FastifySchema;
  config: FastifyContextConfig;
}

const CODES_FILE = new URL('./operation-codes.json', import.meta.url);

/** Codes of every operation. */
const ALWAYS = ['invalid_input', 'not_utf_8', 'rate_limited', 'internal_error', 'unreadable_value', 'unavailable'];
const OF_BODIES = ['malformed_request', 'body_too_large', 'unsupported_media_type', 'unsupported_content_encoding'];

/** Finds the failures of operations: those that follow from a declaration, and those that its handler can reach (scripts/thrown-codes.ts). */
export function createListFailures(dialect: Dialect): (operation: Operation) => Map<number, ErrorEntry[]> {
  const table = readErrorTable();
  const listReached = readReached(dialect.name);
  return (operation) => {
    const codes = new Set([...declaredCodes(operation, dialect), ...listReached(String(operation.schema.operationId))]);
    const entries = [...codes].sort().map((code) => table.get(code) ?? fail(code));
    const byStatus = entries
      .flatMap((entry) => entry.statuses.map((status) => ({ status, entry })))
      .toSorted((one, other) => one.status - other.status);
    return new Map([...Map.groupBy(byStatus, ({ status }) => status)].map(([status, found]) => [status, found.map(({ entry }) => entry)]));
  };
}

const fail = (code: string): never => {
  throw new Error(`docs/errors.md lacks the code ${code}`);
};

/** The codes that a handler can reach, by its operationId; one that is composed of several texts has \w+ in the file. */
function readReached(api: Dialect['name']): (operationId: string) => string[] {
  const file = z.record(z.string(), z.record(z.string(), z.array(z.string()))).parse(JSON.parse(readFileSync(CODES_FILE, 'utf8')));
  const own = file[api] ?? {};
  const patterns = Object.entries(own).toSorted(([one], [other]) => other.length - one.length);
  return (operationId) => own[operationId] ?? patterns.find(([pattern]) => new RegExp(`^${pattern}$`).test(operationId))?.[1] ?? [];
}

const USUAL = new Set([
  ...ALWAYS,
  ...OF_BODIES,
  ...['unauthenticated', 'step_up_required', 'insufficient_scope', 'no_organization', 'wrong_token', 'not_for_apps', 'insufficient_role'],
  ...['unknown_path', 'practice_not_found', 'api_variant_not_found', 'idempotency_key_in_use', 'idempotency_key_reused'],
  ...['idempotency_key_spent', 'precondition_failed', 'range_not_satisfiable'],
]);

/** Whether a code follows from a declaration, so that many operations have it. */
export const isUsual = ({ code }: ErrorEntry): boolean => USUAL.has(code);

function declaredCodes({ method, schema, config }: Operation, dialect: Dialect): string[] {
  const isKeyed = method === 'POST' && config.protected === true && config.keyed !== 'never';
  return [
    ...ALWAYS,
    ...(config.protected ? rightsCodes(config, dialect) : []),
    ...(schema.params === undefined ? [] : ['unknown_path']),
    ...(dialect.prefixParams === undefined ? [] : ['practice_not_found', 'api_variant_not_found']),
    ...(schema.body === undefined ? [] : OF_BODIES),
    ...(isKeyed ? ['idempotency_key_in_use', 'idempotency_key_reused'] : []),
    ...(config.keyed === 'once' ? ['idempotency_key_spent'] : []),
    ...(config.ifMatch ? ['precondition_failed'] : []),
    ...(config.sendsFile ? ['range_not_satisfiable'] : []),
  ];
}

function rightsCodes({ scope, appScope, roles, stepUp }: FastifyContextConfig, dialect: Dialect): string[] {
  const takesPeople = dialect.prefixParams === undefined;
  return [
    'unauthenticated',
    ...(stepUp ? ['step_up_required'] : []),
    ...(scope || appScope ? ['insufficient_scope'] : []),
    ...(scope && takesPeople ? ['no_organization'] : ['wrong_token']),
    ...(takesPeople && !appScope ? ['not_for_apps'] : []),
    ...(takesPeople && roles ? ['insufficient_role'] : []),
  ];
}
