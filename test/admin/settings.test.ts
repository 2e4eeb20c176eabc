import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { foundPractice, Made, operatorOf } from './command-line.ts';

const Rows = z.array(z.record(z.string(), z.unknown()));
const Row = z.record(z.string(), z.unknown());

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await operator.ask(Made, 'organizations create --name Riverside --time-zone America/Denver')).id;

describe('policies', () => {
  it('show whom stricter ones would concern', async () => {
    const { id } = await foundPractice(operator);
    await operator.ask(
      Made,
      `users create --organization ${id} --type staff --first-name Bo --last-name Ruiz --email bo.${id}@clinic.example`,
    );
    const client = await test.database.prisma.apiClient.findFirstOrThrow({ where: { grants: { some: { organizationId: id } } } });
    await test.database.prisma.apiClientSecret.updateMany({ where: { clientId: client.id }, data: { createdAt: new Date('2024-01-01') } });
    expect(await operator.ask(Row, `policies show ${id}`)).toMatchObject({
      users_without_second_factor: 2,
      admins_without_second_factor: 1,
      clients_with_old_secrets: 1,
    });
  });

  it('are the defaults until they are set, change only what is given, and leave one event', async () => {
    const { id } = await operator.ask(Made, 'organizations create --name Ruled --time-zone UTC');
    const defaults = {
      second_factor: 'optional',
      password_sign_in: true,
      session_life_hours: 720,
      session_idle_minutes: null,
      event_days: 90,
      draft_days: null,
      media_days: null,
      text_days: null,
      erasure: false,
      chart_years: 10,
      audit_years: 6,
    };
    expect(await operator.ask(Row, `policies show ${id}`)).toEqual({
      organization_id: id,
      ...defaults,
      client_secret_days: null,
      users_without_second_factor: 0,
      admins_without_second_factor: 0,
      clients_with_old_secrets: 0,
    });
    await operator.ask(Row, `policies set ${id} --second-factor required --session-idle-minutes 30`);
    expect(await operator.ask(Row, `policies set ${id} --client-secret-days 365 --session-idle-minutes`, '')).toEqual({
      organization_id: id,
      ...defaults,
      second_factor: 'required',
      client_secret_days: 365,
    });
    await operator.ask(Row, `policies set ${id} --second-factor required`);
    const events = await test.database.prisma.event.findMany({
      where: { organizationId: id, name: 'security_policy.changed' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ changed }) => changed)).toEqual([
      ['secondFactor', 'sessionIdleMinutes'],
      ['sessionIdleMinutes', 'clientSecretDays'],
    ]);
  });

  it('are refused outside of their limits, or without anything to change', async () => {
    const refused = { code: 2, out: '' };
    expect(await operator.say(`policies set ${practice} --session-life-hours 11`)).toMatchObject(refused);
    expect(await operator.say(`policies set ${practice} --session-idle-minutes 4`)).toMatchObject(refused);
    expect(await operator.say(`policies set ${practice}`)).toMatchObject(refused);
  });
});

describe('organizations', () => {
  it('change only what is given, and an empty text clears', async () => {
    const { id } = await operator.ask(
      Made,
      'organizations create --name Set --time-zone us/eastern --phone 919-555-0123 --double-booking refuse',
    );
    const changed = await operator.ask(
      Row,
      `organizations set ${id} --registration strict --quiet-hours-start 20:30 --inbox-escalation-minutes 5 --monitoring-readings any --monitoring-period thirty_days --enterprise yes --phone`,
      '',
    );
    expect(changed).toMatchObject({
      name: 'Set',
      time_zone: 'America/New_York',
      phone: null,
      registration: 'strict',
      double_booking: 'refuse',
      quiet_hours_start: '20:30',
      inbox_escalation_minutes: 5,
      monitoring_readings: 'any',
      monitoring_period: 'thirty_days',
      enterprise: true,
    });
    expect(await operator.ask(Row, `organizations show ${id}`)).toEqual(changed);
  });

  it('leave one audit row and one event for a change, and none where nothing differs', async () => {
    const { id } = await operator.ask(Made, 'organizations create --name Audited --time-zone UTC');
    await operator.ask(Row, `organizations set ${id} --name Renamed`);
    await operator.ask(Row, `organizations set ${id} --name Renamed`);
    const audited = await test.database.prisma.auditEntry.findMany({ where: { organizationId: id }, orderBy: { id: 'asc' } });
    expect(audited.map(({ action, actor, operation }) => ({ action, actor, operation }))).toEqual([
      { action: 'administer', actor: 'operator:tester', operation: 'admin organizations create' },
      { action: 'administer', actor: 'operator:tester', operation: 'admin organizations set' },
    ]);
    const events = await test.database.prisma.event.findMany({ where: { organizationId: id }, orderBy: { id: 'asc' } });
    expect(events.map(({ name, changed }) => ({ name, changed }))).toEqual([
      { name: 'organization.created', changed: [] },
      { name: 'organization.updated', changed: ['name'] },
    ]);
  });

  it('are refused with a time zone that is none, or without anything to set', async () => {
    expect(await operator.say('organizations create --name X --time-zone Mars/Olympus')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--time-zone'),
    });
    expect(await operator.say(`organizations set ${practice}`)).toMatchObject({ code: 2, out: '' });
    for (const minutes of ['0', '1441', 'soon'])
      expect(await operator.say(`organizations set ${practice} --inbox-escalation-minutes ${minutes}`)).toMatchObject({ code: 2, out: '' });
    expect(await operator.say('organizations set 2147483647 --name Nobody')).toEqual({
      code: 1,
      out: '',
      err: 'There is no such organization.\n',
    });
  });

  it('refuse double booking only when no appointments to come overlap, and then the database holds it', async () => {
    const { id } = await operator.ask(Made, 'organizations create --name Booked --time-zone UTC');
    const db = test.database.prisma;
    const user = await db.user.create({ data: { organizationId: id, type: 'staff', firstName: 'U', lastName: 'Ser' } });
    const patient = await createPatient(db, { organizationId: id });
    const book = async (day: string) => {
      const [startsAt, endsAt] = [new Date(`${day}T10:00:00Z`), new Date(`${day}T10:30:00Z`)];
      const appointment = await db.appointment.create({
        data: { organizationId: id, patientId: patient.id, startsAt, endsAt, localStart: startsAt, timeZone: 'UTC', durationMinutes: 30 },
      });
      await db.userAppointment.create({ data: { organizationId: id, appointmentId: appointment.id, userId: user.id } });
      return appointment.id;
    };
    const [, second] = [await book('2031-01-01'), await book('2031-01-01')];
    await book('2001-01-01');
    await book('2001-01-01');
    const refused = await operator.say(`organizations set ${id} --double-booking refuse`);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('overlap') });
    await db.appointment.update({ where: { organizationId_id: { organizationId: id, id: second } }, data: { status: 'cancelled' } });
    expect((await operator.say(`organizations set ${id} --double-booking refuse`)).code).toBe(0);
    await expect(book('2031-01-01')).rejects.toThrow();
    expect((await operator.say(`organizations set ${id} --double-booking allow`)).code).toBe(0);
    await expect(book('2031-01-01')).resolves.toBeGreaterThan(0);
  });
});

describe('offices, locations and providers', () => {
  it('are created in their practice and listed there only', async () => {
    const office = await operator.ask(Made, `offices create --organization ${practice} --name North --city Raleigh --phone 9195550123`);
    const elsewhere = await operator.ask(Made, 'organizations create --name Elsewhere --time-zone UTC');
    await operator.ask(Made, `locations create --organization ${practice} --office ${office.id} --name Lab`);
    await operator.ask(
      Made,
      `providers create --organization ${practice} --first-name Ada --last-name Quinn --npi 1234567893 --office ${office.id}`,
    );
    expect(await operator.ask(Rows, `offices list --organization ${practice}`)).toMatchObject([
      { id: office.id, time_zone: 'America/Denver', phone: '+19195550123' },
    ]);
    expect(await operator.ask(Rows, `locations list --organization ${practice}`)).toMatchObject([{ name: 'Lab', office_id: office.id }]);
    expect(await operator.ask(Rows, `providers list --organization ${practice}`)).toMatchObject([
      { npi: '1234567893', office_ids: [office.id] },
    ]);
    for (const noun of ['offices', 'locations', 'providers', 'users']) {
      expect(await operator.ask(Rows, `${noun} list --organization ${elsewhere.id}`)).toEqual([]);
    }
    const stolen = await operator.say(`locations create --organization ${elsewhere.id} --office ${office.id} --name Lab`);
    expect(stolen).toEqual({ code: 1, out: '', err: 'There is no such office.\n' });
  });

  it('are refused with an NPI whose check digit is wrong, or that another provider has', async () => {
    const { id } = await operator.ask(Made, 'organizations create --name Numbers --time-zone UTC');
    const create = `providers create --organization ${id} --first-name A --last-name B --npi`;
    for (const wrong of ['1234567890', '123456789', '3234567893', '12345678930']) expect((await operator.say(create, wrong)).code).toBe(2);
    // 1234567893 and 1245319599 are the examples of the standard's own explanation.
    await operator.ask(Made, create, '1245319599');
    expect(await operator.say(create, '1245319599')).toMatchObject({ code: 1, err: expect.stringContaining('has this NPI already') });
  });
});
