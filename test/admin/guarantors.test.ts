import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { integrationClient, practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createPatient } from '../support/factories.ts';
import { operatorOf } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());

const test = await sharedTestApp();
const operator = operatorOf(test);
const reader = await practiceClient(test);
const { organizationId } = reader;
const app = await integrationClient(test, { organizationId });

const OAK = { address: '1 Oak Rd', address2: 'Rear', city: 'Cary', state: 'NC', zip: '27511' };
const ELM = { address: '2 Elm St', address2: null, city: 'Utica', state: 'NY', zip: '13501' };

async function patientAt(address: object): Promise<number> {
  const created = await app.post('/patients').send({ firstname: 'Kim', lastname: `Payer${Math.random()}`, address });
  expect(created.status, created.text).toBe(200);
  return created.body.data.uuid;
}

const set = (id: number, line: string, ...more: string[]) =>
  operator.ask(Row, `patients set ${id} --organization ${organizationId} ${line}`, ...more);

/** The guarantor's address as the practice API shows it, in the record and in the search. */
async function shown(id: number) {
  const [record] = (await reader.get(`/patients/${id}`)).body;
  const listed = (await reader.get(`/patients?lastname=${record.lastname}`)).body.patients[0];
  const address = (from: Record<string, unknown>) => ({
    same: from.guarantoraddresssameaspatient,
    address: from.guarantoraddress1 ?? null,
    address2: from.guarantoraddress2 ?? null,
    city: from.guarantorcity ?? null,
    state: from.guarantorstate ?? null,
    zip: from.guarantorzip ?? null,
  });
  expect(address(listed)).toEqual(address(record));
  return address(record);
}

const stored = async (id: number) => {
  const { guarantorAddress1, guarantorCity, guarantorCountryCode } = await test.database.prisma.patient.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id } },
  });
  return [guarantorAddress1, guarantorCity, guarantorCountryCode];
};

describe('a guarantor at the patient’s address', () => {
  it('moves with the patient, whose address is stored once', async () => {
    const id = await patientAt(OAK);
    await set(id, '--guarantor-address-same-as-patient yes');
    expect(await shown(id)).toEqual({ same: 'true', ...OAK });
    await app.put(`/patients/${id}`).send({ address: ELM });
    expect(await shown(id)).toEqual({ same: 'true', ...ELM });
    expect(await stored(id)).toEqual([null, null, null]);
  });

  it('has no longer the same one once another is written, and keeps what that leaves out', async () => {
    const id = await patientAt(OAK);
    await set(id, '--country us --guarantor-address-same-as-patient yes');
    await set(id, '--guarantor-address1', '1 Oak Rd');
    expect(await shown(id)).toEqual({ same: 'true', ...OAK });
    await set(id, '--guarantor-address1', '9 Far Lane', '--guarantor-address2', '');
    expect(await shown(id)).toEqual({ same: 'false', ...OAK, address: '9 Far Lane', address2: null });
    expect(await stored(id)).toEqual(['9 Far Lane', 'Cary', 'USA']);
    await app.put(`/patients/${id}`).send({ address: ELM });
    expect(await shown(id)).toMatchObject({ same: 'false', address: '9 Far Lane', city: 'Cary' });
  });

  it('has the patient’s again when that is said, and none when it is denied', async () => {
    const id = await patientAt(OAK);
    await set(id, '--guarantor-address1', '9 Far Lane');
    expect(await shown(id)).toMatchObject({ same: undefined, address: '9 Far Lane', city: null });
    await set(id, '--guarantor-address-same-as-patient yes');
    expect(await shown(id)).toEqual({ same: 'true', ...OAK });
    expect(await stored(id)).toEqual([null, null, null]);
    await set(id, '--guarantor-address-same-as-patient no');
    expect(await shown(id)).toMatchObject({ same: 'false', address: null, zip: null });
  });

  it('is not said to have both the same and another one', async () => {
    const id = await patientAt(OAK);
    const line = `patients set ${id} --organization ${organizationId} --guarantor-address-same-as-patient yes --guarantor-zip`;
    expect(await operator.say(`${line} 99999`)).toMatchObject({ code: 1, out: '', err: expect.stringContaining('another address') });
    expect(await operator.say(`${line} 27511`)).toMatchObject({ code: 0 });
    expect(await shown(id)).toEqual({ same: 'true', ...OAK });
  });

  it('cannot be stored beside it by any other way', async () => {
    const { id } = await createPatient(test.database.prisma, { organizationId, guarantorAddressSameAsPatient: true });
    const update = `UPDATE patient SET guarantor_city = 'Utica' WHERE organization_id = ${organizationId} AND id = ${id}`;
    await expect(runAsOwner(test.databaseUrl, update)).rejects.toThrow(/patient_guarantor_address_check/);
  });
});
