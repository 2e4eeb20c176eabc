import type supertest from 'supertest';
import { expect } from 'vitest';
import type { Database } from '../../../src/database/database.ts';

const CLASSES: Record<number, string> = {
  400: 'ValidationException',
  403: 'GlobalTypeException',
  404: 'NotFoundException',
  409: 'ConflictException',
  412: 'PreconditionFailedException',
  413: 'PayloadTooLargeException',
  415: 'UnsupportedMediaTypeException',
};

/** Words of the machinery, which no caller should read. */
const JARGON =
  /zod|prisma|postgres|sql\b|select |insert |constraint|regex|pattern|\/\^|union|literal|undefined|\bNaN\b|\[object|expected|received|node_modules|\/src\/|\.ts\b|\n|\bat [/(]/i;

/** An answer is the document's Exception, in plain words, and its message names the field (any, when null). */
export function expectException(answer: supertest.Response, status: number, field: string | null): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      exception: CLASSES[status],
      file: expect.stringMatching(/^(GET|POST|PUT|DELETE) \/api\/[a-z]+/),
      line: 0,
      message: expect.stringMatching(/./),
    },
  });
  const message = String(answer.body.message);
  if (field !== null) expect(message).toMatch(new RegExp(`(^|; )${field.replaceAll('.', '\\.')}[:.]`));
  expect(message).not.toMatch(JARGON);
  expect(message.length).toBeLessThan(2_500);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

const RECORDS = ['patient', 'appointment', 'appointment_type'].map(
  (table) => `SELECT '${table}' AS what, concat_ws(' ', id, updated_at) AS stored FROM ${table} WHERE organization_id = ANY ($1)`,
);
const LOGS = ['event', 'audit_entry', 'idempotency_record'].map(
  (table) => `SELECT '${table}' AS what, count(*)::text AS stored FROM ${table} WHERE organization_id = ANY ($1)`,
);
const STORED = `${[...RECORDS, ...LOGS].join(' UNION ALL ')} ORDER BY what, stored`;

/** What a write of these practices would add to or change: equal before and after a request that must store nothing. */
export const storedRows = async ({ pool }: Database, ...practices: { organizationId: number }[]) =>
  (await pool.query(STORED, [practices.map(({ organizationId }) => organizationId)])).rows;
