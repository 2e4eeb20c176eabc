import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient } from '../support/factories.ts';
import { createOperator, Made } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const practice = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const newPatient = async () => (await createPatient(db(), { organizationId: practice })).id;
const newGroup = async (organizationId = practice) => (await db().providerGroup.create({ data: { organizationId, name: 'Group' } })).id;
const newOffice = async (group: number | null, organizationId = practice) =>
  (await createOffice(db(), { organizationId, providerGroupId: group })).id;

describe('patients copy', () => {
  it('gives an enterprise patient a chart in the group of the office, once', async () => {
    const enterprise = (await createOrganization(db(), { isEnterprise: true })).id;
    const patient = await createPatient(db(), { organizationId: enterprise, lastName: 'Núñez', medicalRecordNo: `mrn-${enterprise}` });
    const [groupA, groupB] = [await newGroup(enterprise), await newGroup(enterprise)];
    const [officeA, officeB, sameGroup] = [
      await newOffice(groupA, enterprise),
      await newOffice(groupB, enterprise),
      await newOffice(groupA, enterprise),
    ];
    const copy = (office: number) => `patients copy ${patient.id} --practice ${enterprise} --office ${office}`;
    const first = await operator.ask(Made, copy(officeA));
    const second = await operator.ask(Made, copy(officeB));
    const copies = await db().patient.findMany({ where: { organizationId: enterprise, enterpriseId: patient.id }, orderBy: { id: 'asc' } });
    expect(
      copies.map(({ id, lastName, medicalRecordNo, primaryOfficeId }) => ({ id, lastName, medicalRecordNo, primaryOfficeId })),
    ).toEqual([
      { id: first.id, lastName: 'Núñez', medicalRecordNo: null, primaryOfficeId: officeA },
      { id: second.id, lastName: 'Núñez', medicalRecordNo: null, primaryOfficeId: officeB },
    ]);
    const registrations = await db().patientRegistration.findMany({
      where: { organizationId: enterprise, patientId: patient.id },
      orderBy: { officeId: 'asc' },
    });
    expect(registrations.map(({ localPatientId, providerGroupId }) => [localPatientId, providerGroupId])).toEqual([
      [first.id, groupA],
      [second.id, groupB],
    ]);
    expect(await operator.say(copy(sameGroup))).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Patient ${first.id} is already the copy`),
    });
    const ofCopy = await operator.say(`patients copy ${first.id} --practice ${enterprise} --office ${officeB}`);
    expect(ofCopy).toMatchObject({ code: 1, err: expect.stringContaining('is a copy of patient') });
    const nowhere = await operator.say(copy(await newOffice(null, enterprise)));
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('no provider group') });
  });

  it('is refused where the practice is not an enterprise practice', async () => {
    const [id, office] = [await newPatient(), await newOffice(await newGroup())];
    const said = await operator.say(`patients copy ${id} --practice ${practice} --office ${office}`);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('not an enterprise practice') });
  });
});
