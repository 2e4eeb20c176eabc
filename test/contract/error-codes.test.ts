import { expect, it } from 'vitest';
import { readSource } from '../../scripts/thrown-codes.ts';
import { STATUS } from '../../src/http/errors/error-mapping.ts';
import { readErrorTable } from '../../src/http/errors/error-table.ts';
import { declaredCodes } from './declared-failures.ts';

/** What commands of the operator print and no response has. */
const OF_COMMANDS = /^(admin|backup|practice-file|startup)\//;
/** Of zod, whose issues keep their own codes, and of the token endpoint, which names failures of the server in words of its own. */
const OF_OTHERS = [
  ...['invalid_type', 'invalid_value', 'invalid_format', 'invalid_union', 'too_small', 'too_big', 'not_multiple_of'],
  ...['slow_down', 'temporarily_unavailable', 'server_error'],
];

const statuses = new Map<string, number>(Object.entries(STATUS));
const source = readSource();
const table = readErrorTable();
const thrown = [...source.modules].flatMap(([file, { parts }]) =>
  OF_COMMANDS.test(file) ? [] : [...parts.values()].flatMap((part) => source.thrownIn(part)),
);

it('each code that the source throws is explained, and each that is explained is thrown', () => {
  const codes = new Set([...thrown.map(({ code }) => code), ...OF_OTHERS]);
  expect(thrown.length).toBeGreaterThan(500);
  expect([...codes].filter((code) => !table.has(code))).toEqual([]);
  expect([...table.keys()].filter((code) => !codes.has(code))).toEqual([]);
});

it('each code is explained with its statuses', () => {
  const wrong = [...table.values()].flatMap(({ code, statuses: told }) => {
    const found = thrown.filter((one) => one.code === code && one.kind !== 'field').map(({ kind }) => statuses.get(kind) ?? Number(kind));
    const isRight = JSON.stringify([...new Set(found)].sort()) === JSON.stringify(told);
    return isRight || OF_OTHERS.includes(code) ? [] : [`${code}: ${found} and not ${told}`];
  });
  expect(wrong).toEqual([]);
});

it('each explanation says what it means, its causes and what to do', () => {
  const silent = [...table.values()].filter((entry) =>
    [entry.meaning, entry.causes, entry.remedy].some((text) => !/^[A-Z`…].*\.$/.test(text)),
  );
  expect(silent.map(({ code }) => code)).toEqual([]);
});

it('an operation declares the codes that its handler can reach, and not those of others', () => {
  expect(declaredCodes('PUT /api/appointments/{}', 409)).toEqual(
    expect.arrayContaining(['double_booked', 'inactive_type', 'patient_deceased']),
  );
  expect(declaredCodes('GET /api/appointments/{}', 404)).toEqual(['appointment_not_found', 'unknown_path']);
  expect(declaredCodes('GET /api/appointments/{}', 409)).toEqual([]);
  expect(declaredCodes('GET /platform/v1/events', 410)).toEqual(['cursor_expired']);
  expect(declaredCodes('POST /login', 401)).toContain('wrong_credentials');
});
