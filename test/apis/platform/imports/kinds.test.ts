import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../support/app.ts';
import {
  createAppointmentType,
  createOffice,
  createOrganization,
  createPatient,
  createProvider,
  createUser,
} from '../../../support/factories.ts';
import { importer } from './sending.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

/** A practice with three charts, of which the first two have numbers of other systems. */
async function practice(organization = {}) {
  const { id: organizationId } = await createOrganization(prisma, { timeZone: 'America/New_York', ...organization });
  const ada = await createPatient(prisma, {
    organizationId,
    externalId: 'p-1',
    firstName: 'Ada',
    lastName: 'One',
    birthDate: new Date('1980-01-02'),
  });
  const bea = await createPatient(prisma, { organizationId, medicalRecordNo: 'm-2' });
  return { organizationId, ada: ada.id, bea: bea.id, system: await importer(test, organizationId), where: { where: { organizationId } } };
}

describe('an import of appointments', () => {
  it('reads starts as people write them, finds records by name, and refuses what the practice does not have', async () => {
    const { organizationId, ada, bea, system } = await practice();
    const office = await createOffice(prisma, { organizationId, name: 'Denver', timeZone: 'America/Denver' });
    const { user } = await createUser(prisma, { organizationId, type: 'provider' });
    const provider = await createProvider(prisma, { organizationId, userId: user.id, firstName: 'Grace', lastName: 'Hall' });
    const type = await createAppointmentType(prisma, { organizationId, name: 'Follow-up', durationMinutes: 40 });
    const rows = [
      'external_id,patient_external_id,mrn,date,starttime,department,provider,appointmenttype,status',
      'a,p-1,,03/09/2031,2:30 PM,denver,grace hall,follow-up,f',
      'b,,m-2,2031-03-09T09:30:00-05:00,,,,,cancelled',
      'c,p-9,,03/09/2031 25:00,,Paris,,,',
      'a,p-1,,03/09/2031,3:30 PM,,,,',
      'Grand total,,,,,,,,',
      'd,p-1,,,,,,,',
      'e,,,03/09/2031,2:30 PM,,,,',
    ];
    const done = await system.import('kind=appointments', rows.join('\n'));
    expect(done.counts).toMatchObject({ created: 2, skipped: 1, refused: 4 });
    const stored = await prisma.appointment.findMany({
      where: { organizationId },
      include: { users: true },
      orderBy: { externalId: 'asc' },
    });
    expect(stored).toMatchObject([
      {
        externalId: 'a',
        patientId: ada,
        startsAt: new Date('2031-03-09T20:30:00Z'),
        endsAt: new Date('2031-03-09T21:10:00Z'),
        timeZone: 'America/Denver',
        officeId: office.id,
        providerId: provider.id,
        typeId: type.id,
        users: [{ userId: user.id }],
      },
      { externalId: 'b', patientId: bea, startsAt: new Date('2031-03-09T14:30:00Z'), status: 'cancelled', users: [] },
    ]);
    const report = await system.report(done.id);
    for (const said of ['patient_external_id: There is no such patient', 'department: There is no such office'])
      expect(report).toContain(said);
    const moved = await system.import('kind=appointments&on_match=update', 'external_id,date\na,2031-03-10T08:00:00\n');
    expect(moved.counts).toMatchObject({ updated: 1 });
    const events = await prisma.event.findMany({ where: { organizationId, subjectType: 'appointment' }, orderBy: { id: 'asc' } });
    expect(events.map(({ name }) => name)).toEqual(['appointment.imported', 'appointment.imported', 'appointment.moved']);
    expect(await prisma.smsMessage.count({ where: { organizationId } })).toBe(0);
  });

  it('books no time of a user twice where the practice refuses it', async () => {
    const { organizationId, system } = await practice({ doubleBooking: 'refuse' });
    const { user } = await createUser(prisma, { organizationId });
    const rows = ['09:00', '09:10', '09:30'].map((time) => `2031-04-01T${time}:00,30,${user.id}`);
    const done = await system.import('kind=appointments', `date,duration,user\n${rows.join('\n')}\n`);
    expect(done.counts).toMatchObject({ created: 2, refused: 1 });
    expect(await system.report(done.id)).toMatch(/has appointment \d+ from/);
  });
});

describe('sections of charts', () => {
  it('are imported once: insurances', async () => {
    const { ada, bea, system, where } = await practice();
    const file =
      'patient_external_id;mrn;plan;member_id;insurancepolicyholderfirstname\np-1;;Evergreen;W1;Ana\np-1;;Medicaid;W2;\n;m-2;Evergreen;W3;\n;;Nobody;W4;\n';
    expect((await system.import('kind=insurances', file)).counts).toMatchObject({ created: 3, refused: 1 });
    expect((await system.import('kind=insurances', file)).counts).toMatchObject({ created: 0, skipped: 3, refused: 1 });
    expect(await prisma.insurance.findMany({ ...where, orderBy: { id: 'asc' } })).toMatchObject([
      {
        patientId: ada,
        sequenceNumber: 1,
        planName: 'Evergreen',
        policyHolder: { firstName: 'Ana', lastName: 'One', birthDate: '1980-01-02' },
      },
      { patientId: bea, sequenceNumber: 1, planName: 'Evergreen', idNumber: 'W3' },
      { patientId: ada, sequenceNumber: 2, planName: 'Medicaid', insured: { firstName: 'Ada' } },
    ]);
  });

  it('are imported once: balances', async () => {
    const { organizationId, ada, system, where } = await practice();
    const group = await prisma.providerGroup.create({ data: { organizationId, name: 'North' } });
    const file = `patient_id,provider_group,balance,collections\n${ada},north,-25.15,\n${ada},South,1,\n${ada},${group.id},12.345,\n`;
    expect((await system.import('kind=balances', file)).counts).toMatchObject({ created: 1, refused: 2 });
    expect((await system.import('kind=balances&on_match=update', `patient_id,group,amount\n${ada},North,7\n`)).counts).toMatchObject({
      updated: 1,
    });
    const [balance] = await prisma.balance.findMany(where);
    expect([balance?.amount.toFixed(2), balance?.collectionsAmount.toFixed(2)]).toEqual(['7.00', '0.00']);
  });

  it('have one contract of each class for a balance', async () => {
    const { organizationId, ada, system, where } = await practice();
    await prisma.providerGroup.create({ data: { organizationId, name: 'North' } });
    const send = (line: string) =>
      system.import(
        'kind=balances&on_match=update',
        `patient_id,group,contract_class,contract_max,contract_available\n${ada},North,${line}\n`,
      );
    for (const part of ['ONEYEAR,5,6', 'ONEYEAR,,', ',2500,', 'FOREVER,5,', 'ONEYEAR,1.234,', 'ONEYEAR,much,'])
      expect((await send(part)).counts, part).toMatchObject({ refused: 1 });
    expect((await send('oneyear,2500,')).counts).toMatchObject({ created: 1 });
    expect((await send('ONEYEAR,2500,1800.5')).counts).toMatchObject({ updated: 1 });
    await send('SINGLEAPPOINTMENT,80,');
    const contracts = await prisma.balanceContract.findMany({ ...where, orderBy: { id: 'asc' } });
    expect(contracts.map((one) => [one.contractClass, one.maxAmount.toFixed(2), one.availableAmount.toFixed(2)])).toEqual([
      ['ONEYEAR', '2500.00', '1800.50'],
      ['SINGLEAPPOINTMENT', '80.00', '80.00'],
    ]);
  });

  it('are imported once: claims', async () => {
    const { organizationId, ada, bea, system, where } = await practice();
    await prisma.providerGroup.create({ data: { organizationId, name: 'North' } });
    const line = `${ada},North,11/02/2026,Visit,180`;
    const rows = [
      `${line},20`,
      `${line}.00,20`,
      `${ada},North,2026-11-03,,80,`,
      `${bea},North,2026-11-02,Visit,180,`,
      `${ada},South,2026-11-02,,1,`,
    ];
    const send = (query: string, lines: readonly string[]) =>
      system.import(`kind=claims${query}`, `patient_id,group,date,description,charge,outstanding\n${lines.join('\n')}\n`);
    expect((await send('', rows)).counts).toMatchObject({ created: 3, skipped: 1, refused: 1 });
    expect((await send('', [...rows, `${ada},North,2026-11-02,,-5,`])).counts).toMatchObject({ created: 0, skipped: 4, refused: 2 });
    expect((await send('&on_match=update', [`${line},5.5`])).counts).toMatchObject({ updated: 1 });
    expect((await send('&on_match=create', [`${line},`])).counts).toMatchObject({ created: 1 });
    const wrong = await send('&on_match=update', [`${line},1`, `${bea},North,2099-01-02,,80,`, `${bea},North,2026-11-02,Visit,180,181`]);
    expect(wrong.counts).toMatchObject({ updated: 0, created: 0, refused: 3 });
    const stored = await prisma.claim.findMany({ ...where, orderBy: { id: 'asc' } });
    expect(stored.map((one) => [one.patientId, one.description, one.chargeAmount.toFixed(2), one.outstandingPatient.toFixed(2)])).toEqual(
      expect.arrayContaining([
        [ada, 'Visit', '180.00', '5.50'],
        [ada, 'Visit', '180.00', '0.00'],
        [ada, null, '80.00', '0.00'],
        [bea, 'Visit', '180.00', '0.00'],
      ]),
    );
    const events = await prisma.event.findMany({ ...where, where: { organizationId, subjectType: 'patient', subjectId: ada } });
    expect(events.map(({ changed }) => changed)).toEqual(Array.from({ length: 4 }, () => ['claims']));
  });

  it('are imported once: portal accounts', async () => {
    const { ada, bea, organizationId, system, where } = await practice();
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: bea, kind: 'portal' } });
    const rows = [`${ada},,11/20/2025,2026-01-02T08:00:00Z,`, `${ada},family,,,`, `${bea},,11/20/2025,,`, `${ada},family,,,yes`];
    const done = await system.import('kind=portal-accounts', `patient_id,holder,registered,last_login,blocked\n${rows.join('\n')}\n`);
    expect(done.counts).toMatchObject({ created: 2, skipped: 1, refused: 1 });
    expect(await prisma.portalAccount.findMany({ ...where, orderBy: { id: 'asc' } })).toMatchObject([
      { patientId: ada, holder: 'PATIENT', registeredAt: new Date('2025-11-20T05:00:00Z'), lastLoginAt: new Date('2026-01-02T08:00:00Z') },
      { patientId: ada, holder: 'FAMILY', registeredAt: null, blockedAt: null },
    ]);
    const chart = await prisma.patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id: ada } } });
    expect(chart.portalAccessGiven).toBe(true);
  });

  it('change portal accounts that are there by the cells that they have', async () => {
    const { ada, organizationId, system, where } = await practice();
    const send = (line: string) =>
      system.import('kind=portal-accounts&on_match=update', `patient_id,registered,last_login,terms_accepted,blocked\n${ada},${line}\n`);
    const read = () => prisma.portalAccount.findFirstOrThrow(where);
    await send(',,,');
    expect((await send(',2026-01-02T08:00:00Z,,')).counts).toMatchObject({ refused: 1 });
    await send('11/20/2025,,,');
    expect((await send(',2026-01-02T08:00:00Z,2026-01-03,yes')).counts).toMatchObject({ updated: 1 });
    expect(await read()).toMatchObject({ registeredAt: new Date('2025-11-20T05:00:00Z'), blockedAt: expect.any(Date) });
    await send(',,,no');
    expect(await read()).toMatchObject({
      registeredAt: new Date('2025-11-20T05:00:00Z'),
      lastLoginAt: new Date('2026-01-02T08:00:00Z'),
      termsAcceptedAt: new Date('2026-01-03T05:00:00Z'),
      blockedAt: null,
      failedLogins: 0,
    });
    const chart = await prisma.patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id: ada } } });
    expect(chart.portalTermsOnFile).toBe(true);
  });

  it('are imported once: readings', async () => {
    const { organizationId, ada, system, where } = await practice();
    const item = await prisma.item.create({ data: { organizationId, name: 'Weight', unit: 'kg' } });
    const at = new Date(Date.now() - 86_400_000).toISOString();
    const file = `patient_external_id,item,value,unit,measured_at,device\np-1,weight,154.3,lb,${at},scale-1\np-1,weight,70,stones,${at},scale-1\np-1,weight,70,kg,yesterday,scale-1\n`;
    expect((await system.import('kind=readings', file)).counts).toMatchObject({ created: 1, refused: 2 });
    expect((await system.import('kind=readings', file)).counts).toMatchObject({ created: 0, skipped: 1, refused: 2 });
    expect(await prisma.reading.findMany(where)).toMatchObject([{ patientId: ada, itemId: item.id, source: 'device' }]);
  });

  it('are contacts of people who are no patients', async () => {
    const { organizationId, system, where } = await practice();
    await createPatient(prisma, { organizationId, mobilePhone: '+19195550123' });
    const file = 'fname,lname,phone\nMr,Door,919-555-0123\nMs,Vendor,+44 20 7946 0000\nMs,Vendor,+442079460000\nNo,Number,12\n';
    expect((await system.import('kind=contacts', file)).counts).toMatchObject({ created: 1, skipped: 2, refused: 1 });
    expect(await prisma.contact.findMany(where)).toMatchObject([
      { firstName: 'Ms', lastName: 'Vendor', phone: '+442079460000', patientId: null },
    ]);
  });

  it('are contacts of numbers that a restricted chart has, too: nobody learns of it', async () => {
    const { organizationId, system, where } = await practice();
    const { id: patientId } = await createPatient(prisma, { organizationId, mobilePhone: '+19195550123' });
    await prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    const done = await system.import('kind=contacts', 'fname,phone\nMr,919-555-0123\nMs,919-555-0124\n');
    expect(done.counts).toMatchObject({ created: 2, skipped: 0 });
    expect((await prisma.contact.findMany(where)).filter(({ phone }) => phone === '+19195550123')).toHaveLength(1);
  });
});
