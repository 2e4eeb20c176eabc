import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { runAsOwner } from '../../support/database-roles.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
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

const change = (id: number, form: object) => reader.put(`/patients/${id}`).type('form').send(form);

async function set(id: number, form: object): Promise<void> {
  const answer = await change(id, form);
  expect(answer.status, answer.text).toBe(200);
}

/** The guarantor's address as the practice API shows it, in the record and in the search. */
async function readGuarantor(id: number) {
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
    await set(id, { guarantoraddresssameaspatient: 'true' });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...OAK });
    await app.put(`/patients/${id}`).send({ address: ELM });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...ELM });
    expect(await stored(id)).toEqual([null, null, null]);
  });

  it('has no longer the same one once another is written, and keeps what that leaves out', async () => {
    const id = await patientAt(OAK);
    await set(id, { countrycode: 'us', guarantoraddresssameaspatient: 'Y' });
    await set(id, { guarantoraddress1: '1 Oak Rd' });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...OAK });
    await set(id, { guarantoraddress1: '9 Far Lane', guarantoraddress2: '' });
    expect(await readGuarantor(id)).toEqual({ same: 'false', ...OAK, address: '9 Far Lane', address2: null });
    expect(await stored(id)).toEqual(['9 Far Lane', 'Cary', 'USA']);
    await app.put(`/patients/${id}`).send({ address: ELM });
    expect(await readGuarantor(id)).toMatchObject({ same: 'false', address: '9 Far Lane', city: 'Cary' });
  });

  it('has the patient’s again when that is said, and none when it is denied', async () => {
    const id = await patientAt(OAK);
    await set(id, { guarantoraddress1: '9 Far Lane' });
    expect(await readGuarantor(id)).toMatchObject({ same: undefined, address: '9 Far Lane', city: null });
    await set(id, { guarantoraddresssameaspatient: 'true' });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...OAK });
    expect(await stored(id)).toEqual([null, null, null]);
    await set(id, { guarantoraddresssameaspatient: 'false' });
    expect(await readGuarantor(id)).toMatchObject({ same: 'false', address: null, zip: null });
  });

  it('is not said to have both the same and another one', async () => {
    const id = await patientAt(OAK);
    const both = { guarantoraddresssameaspatient: 'true' };
    const refused = await change(id, { ...both, guarantorzip: '99999' });
    expect([refused.status, refused.body.invalidfields]).toEqual([400, ['guarantoraddresssameaspatient']]);
    await set(id, { ...both, guarantorzip: '27511' });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...OAK });
  });

  it('moves with the patient where the record is sent back with another address of the patient', async () => {
    const id = await patientAt(OAK);
    await set(id, { guarantoraddresssameaspatient: 'true' });
    const [record] = (await reader.get(`/patients/${id}`)).body;
    await set(id, { ...record, address1: '2 Elm St', address2: '' });
    expect(await readGuarantor(id)).toEqual({ same: 'true', ...OAK, address: '2 Elm St', address2: null });
  });

  it('cannot be stored beside it by any other way', async () => {
    const { id } = await createPatient(test.database.prisma, { organizationId, guarantorAddressSameAsPatient: true });
    const update = `UPDATE patient SET guarantor_city = 'Utica' WHERE organization_id = ${organizationId} AND id = ${id}`;
    await expect(runAsOwner(test.databaseUrl, update)).rejects.toThrow(/patient_guarantor_address_check/);
  });
});
