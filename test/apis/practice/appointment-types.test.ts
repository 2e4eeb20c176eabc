import { beforeAll, describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const clinic = await practiceClient(test, { organization: { defaultAppointmentLength: 25 } });
const { organizationId } = clinic;
let ids: number[];

beforeAll(async () => {
  const type = async (data: object) => (await createAppointmentType(rows, { organizationId, ...data })).id;
  ids = [await type({ name: 'Physical exam', durationMinutes: 40 }), await type({ name: 'Öl & Größe' }), await type({ name: 'X-ray' })];
});

const toShownType = (id: number, name: string, shortname: string, duration: number) => ({
  appointmenttypeid: id,
  name,
  shortname,
  patientdisplayname: name,
  duration,
  generic: false,
  patient: true,
  templatetypeonly: false,
  createencounteroncheckin: false,
});

describe('GET /appointmenttypes', () => {
  it('lists the active types, with the length that appointments get', async () => {
    const inactive = await createAppointmentType(rows, { organizationId, name: 'Former', active: false });
    const { body } = await clinic.get('/appointmenttypes');
    const own = body.appointmenttypes.filter((one: { appointmenttypeid: number }) => [...ids, inactive.id].includes(one.appointmenttypeid));
    expect(own).toEqual([
      toShownType(ids[0] ?? 0, 'Physical exam', 'PHYS', 40),
      toShownType(ids[1] ?? 0, 'Öl & Größe', 'ÖLGR', 25),
      toShownType(ids[2] ?? 0, 'X-ray', 'XRAY', 25),
    ]);
    const former = await clinic.get(`/appointmenttypes/${inactive.id}`);
    expect(former.body).toEqual([toShownType(inactive.id, 'Former', 'FORM', 25)]);
    await rows.appointmentType.delete({ where: { organizationId_id: { organizationId, id: inactive.id } } });
  });

  it('pages, and hides what the flags leave out', async () => {
    const all = (await clinic.get('/appointmenttypes')).body;
    expect(all.totalcount).toBe(all.appointmenttypes.length);
    const page = (await clinic.get('/appointmenttypes?limit=1&offset=1')).body;
    expect(page).toEqual({
      totalcount: all.totalcount,
      next: `/v1/${organizationId}/appointmenttypes?limit=1&offset=2`,
      previous: `/v1/${organizationId}/appointmenttypes?limit=1&offset=0`,
      appointmenttypes: [all.appointmenttypes[1]],
    });
    const flags = await clinic.get('/appointmenttypes?hidegeneric=true&hidenongeneric=false&hidetemplatetypeonly=true&hidenonpatient=Y');
    expect(flags.body).toEqual(all);
    expect((await clinic.get('/appointmenttypes?hidenongeneric=true')).body).toEqual({ totalcount: 0, appointmenttypes: [] });
    expect((await clinic.get('/appointmenttypes?departmentids=[1,2]&providerids=3').expect(200)).body).toEqual(all);
  });

  it('shows those of other practices only where all share them', async () => {
    const there = await practiceClient(test);
    const listed = (await there.get('/appointmenttypes')).body.appointmenttypes.map((one: { name: string }) => one.name);
    expect(listed).not.toContain('Physical exam');
    expect((await there.get(`/appointmenttypes/${ids[0]}`)).status).toBe(404);
    const { id } = await createAppointmentType(rows, { organizationId, name: 'For all', durationMinutes: 5, isGlobal: true });
    expect((await there.get(`/appointmenttypes/${id}`)).body).toEqual([toShownType(id, 'For all', 'FORA', 5)]);
    await rows.appointmentType.delete({ where: { organizationId_id: { organizationId, id } } });
  });
});
