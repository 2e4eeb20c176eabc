import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { registerPatient, updatePatient } from '../../../src/domain/patients/registration.ts';
import { registerOrMatch } from '../../../src/domain/patients/registration-policies.ts';
import { createUnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { ownTestApp } from '../../support/app.ts';
import { createOrganization } from '../../support/factories.ts';

const test = await ownTestApp();
const unitOfWork = createUnitOfWork(test.database);
afterEach(() => vi.restoreAllMocks());

async function caller(policy: 'open' | 'strict' = 'open') {
  return operator((await createOrganization(test.database.prisma, { registrationPolicy: policy })).id, 'test');
}

/** Prisma's, which the servers of other tests in this process send in between. */
const OF_PRISMA = /^[0-9a-f]{20}$/;

/** The names of the prepared statements that a job sends. */
async function statementsOf(job: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await job();
  const names = query.mock.calls.flatMap(([config]: unknown[]) =>
    typeof config === 'object' && config !== null && 'name' in config ? [String(config.name)] : [],
  );
  query.mockRestore();
  return names.filter((name) => !OF_PRISMA.test(name));
}

it('a registration whose assumptions hold is one statement after its id', async () => {
  const who = await caller();
  expect(await statementsOf(() => unitOfWork.write(who, registerPatient({ firstName: 'Ann' })))).toEqual(['patient_ids', 'insert_patient']);
});

it('a change whose assumptions hold is one statement', async () => {
  const who = await caller();
  const { id } = (await unitOfWork.write(who, registerPatient({ firstName: 'Ann' }))).patient;
  expect(await statementsOf(() => unitOfWork.write(who, updatePatient(id, { firstName: 'Bo' })))).toEqual([
    expect.stringMatching(/^change_patient_\d+$/),
  ]);
});

it('a change whose assumptions do not hold is checked in a transaction, and one for If-Match is from the start', async () => {
  const who = await caller();
  const { id } = (await unitOfWork.write(who, registerPatient({ firstName: 'Ann' }))).patient;
  const same = updatePatient(id, { firstName: 'Ann' });
  const checked = ['lock_patient', 'journal', 'commit'];
  expect(await statementsOf(() => unitOfWork.write(who, same))).toEqual([
    expect.stringMatching(/^change_patient_\d+$/),
    'begin',
    ...checked,
  ]);
  expect(await statementsOf(() => unitOfWork.write(who, same, { repeatable: true }))).toEqual(['begin_repeatable', ...checked]);
});

it('a registration that a policy refuses is refused by the check, and leaves nothing', async () => {
  const who = await caller('strict');
  await expect(unitOfWork.write(who, registerOrMatch({ firstName: 'Ann' }))).rejects.toMatchObject({ code: 'registration_incomplete' });
  const where = { organizationId: who.organizationId };
  expect(await test.database.prisma.patient.count({ where })).toBe(0);
  expect(await test.database.prisma.event.count({ where })).toBe(0);
});
