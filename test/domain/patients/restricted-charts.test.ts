import { describe, expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { readAppointment } from '../../../src/domain/scheduling/appointment/appointment-reader.ts';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';
import { createAppointment } from '../../support/schedule.ts';

const test = await sharedTestApp();
const staff = await signedInUser(test, { organization: { isEnterprise: true } });
const { organizationId } = staff;

const rows = () => test.database.prisma;

const restrict = (patientId: number, kind: 'record' | 'blocked' | 'portal' = 'record') =>
  rows().privacyRestriction.create({ data: { organizationId, patientId, kind } });

const newPatient = (data: Partial<Prisma.PatientUncheckedCreateInput> = {}) => createPatient(rows(), { organizationId, ...data });

async function restrictedPatient() {
  const patient = await newPatient();
  await restrict(patient.id);
  return patient;
}

const isRestricted = async (id: number) =>
  (await rows().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } })).restricted;

describe('whether a chart is restricted', () => {
  it.each([
    ['record', true],
    ['blocked', true],
    ['portal', false],
  ] as const)('follows a restriction of kind %s until it is lifted', async (kind, hides) => {
    const { id } = await newPatient();
    const restriction = await restrict(id, kind);
    expect(await isRestricted(id)).toBe(hides);
    const where = { organizationId_id: { organizationId, id: restriction.id } };
    await rows().privacyRestriction.update({ where, data: { liftedAt: new Date() } });
    expect(await isRestricted(id)).toBe(false);
  });

  it('stays as it is while another restriction is in force', async () => {
    const { id } = await newPatient();
    const first = await restrict(id);
    await restrict(id, 'blocked');
    await rows().privacyRestriction.delete({ where: { organizationId_id: { organizationId, id: first.id } } });
    expect(await isRestricted(id)).toBe(true);
  });

  it('is the same for a departmental copy, made before or after', async () => {
    const original = await newPatient();
    const early = await newPatient({ enterpriseId: original.id });
    await restrict(original.id);
    const late = await newPatient({ enterpriseId: original.id });
    const moved = await newPatient();
    await rows().patient.update({ where: { organizationId_id: { organizationId, id: moved.id } }, data: { enterpriseId: original.id } });
    for (const { id } of [early, late, moved]) {
      expect(await isRestricted(id)).toBe(true);
      expect((await staff.get(`/patients/${id}`)).status).toBe(404);
    }
  });

  it('cannot be written by hand', async () => {
    const { id } = await restrictedPatient();
    const of = { organizationId_id: { organizationId, id } };
    await rows().patient.update({ where: of, data: { restricted: false } });
    expect(await isRestricted(id)).toBe(true);
    expect(await isRestricted((await newPatient({ restricted: true })).id)).toBe(false);
  });
});

it('an appointment of a restricted patient holds nothing of the chart for a reader who may not see it', async () => {
  const { id: patientId } = await newPatient({ lastName: 'Quillfeather' });
  await restrict(patientId);
  const { id } = await createAppointment(rows(), { organizationId, patientId });
  const everybody = operator(organizationId, 'test');
  const readBy = (reader: typeof everybody) => test.services.unitOfWork.read(reader, (tx) => readAppointment(tx, Number(id)));
  expect(JSON.stringify(await readBy({ ...everybody, userId: staff.user.id }))).not.toContain('Quillfeather');
  expect(JSON.stringify(await readBy(everybody))).toContain('Quillfeather');
});
