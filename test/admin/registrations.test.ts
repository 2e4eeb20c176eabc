import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient, createProvider } from '../support/factories.ts';
import { Made, operatorOf } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const newPatient = async () => (await createPatient(db(), { organizationId: practice })).id;
const newGroup = async (organizationId = practice) => (await db().providerGroup.create({ data: { organizationId, name: 'Group' } })).id;
const newOffice = async (group: number | null, organizationId = practice) =>
  (await createOffice(db(), { organizationId, providerGroupId: group })).id;

describe('patients register', () => {
  it('registers in one more office and changes how it knows the patient', async () => {
    const [id, group] = [await newPatient(), await newGroup()];
    const office = await newOffice(group);
    const provider = (await createProvider(db(), { organizationId: practice })).id;
    const line = `patients register ${id} --organization ${practice} --office ${office}`;
    expect(await operator.ask(Row, line)).toMatchObject({ provider_group_id: group, status: 'active', provider_id: null });
    expect(await operator.ask(Row, `${line} --status inactive --provider ${provider}`)).toMatchObject({ status: 'inactive' });
    expect(await operator.ask(Row, `${line} --status prospective`)).toMatchObject({ status: 'prospective', provider_id: provider });
    expect(await db().patientRegistration.count({ where: { organizationId: practice, patientId: id } })).toBe(1);
    const events = await db().event.findMany({ where: { organizationId: practice, subjectId: id }, orderBy: { id: 'asc' } });
    expect(events.map(({ changed }) => changed)).toEqual(Array.from({ length: 3 }, () => ['registrations']));
  });
});

describe('a closed office', () => {
  it('takes neither a registration nor a copy nor a patient who moves there, but those whom it knows can be changed', async () => {
    const [known, other, office] = [await newPatient(), await newPatient(), await newOffice(await newGroup())];
    const line = (id: number) => `patients register ${id} --organization ${practice} --office ${office}`;
    await operator.ask(Row, line(known));
    await db().office.update({ where: { organizationId_id: { organizationId: practice, id: office } }, data: { active: false } });
    for (const said of [line(other), `patients set ${other} --organization ${practice} --office ${office}`]) {
      expect(await operator.say(said)).toEqual({ code: 1, out: '', err: 'There is no such office.\n' });
    }
    expect(await operator.ask(Row, `${line(known)} --status inactive`)).toMatchObject({ status: 'inactive' });
  });
});

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
    const copy = (office: number) => `patients copy ${patient.id} --organization ${enterprise} --office ${office}`;
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
    expect(await operator.say(copy(sameGroup))).toMatchObject({ code: 1, err: expect.stringContaining(`Patient ${first.id} is the copy`) });
    const ofCopy = await operator.say(`patients copy ${first.id} --organization ${enterprise} --office ${officeB}`);
    expect(ofCopy).toMatchObject({ code: 1, err: expect.stringContaining('is a copy of patient') });
    const nowhere = await operator.say(copy(await newOffice(null, enterprise)));
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('no provider group') });
  });

  it('is refused where the practice is no enterprise practice', async () => {
    const [id, office] = [await newPatient(), await newOffice(await newGroup())];
    const said = await operator.say(`patients copy ${id} --organization ${practice} --office ${office}`);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('no enterprise practice') });
  });
});
