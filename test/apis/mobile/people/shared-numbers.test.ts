import { expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';

const test = await sharedTestApp();
const nurse = await signedInUser(test);
const { organizationId } = nurse;

it('names the other patients who have a number of a patient, at the patient and at the contact', async () => {
  const patient = (firstName: string, numbers: { mobilePhone?: string; homePhone?: string }) =>
    createPatient(test.database.prisma, { organizationId, firstName, lastName: 'Shared', ...numbers });
  const [mother, child, father] = [
    await patient('Ana', { mobilePhone: '+19195550151', homePhone: '+19195550152' }),
    await patient('Leo', { mobilePhone: '+19195550151' }),
    await patient('Gus', { homePhone: '+19195550152' }),
  ];
  const alone = await patient('Sol', {});
  const hidden = await patient('Hid', { mobilePhone: '+19195550151' });
  await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
  const named = (one: { id: number }, firstname: string) => ({ uuid: one.id, firstname, lastname: 'Shared' });
  const expected = [
    [mother.id, [named(child, 'Leo'), named(father, 'Gus')]],
    [child.id, [named(mother, 'Ana')]],
    [father.id, [named(mother, 'Ana')]],
    [alone.id, []],
  ];
  for (const [id, shared] of expected) {
    expect((await nurse.get(`/patients/${id}`)).body.data.shared_with).toEqual(shared);
    expect((await nurse.get(`/contacts/${id}`)).body.data.shared_with).toEqual(shared);
  }
  const listed = (await nurse.get('/patients?lastname=Shared&sort=uuid')).body.data;
  expect(listed.map((one: { uuid: number; shared_with: unknown }) => [one.uuid, one.shared_with])).toEqual(expected);
});
