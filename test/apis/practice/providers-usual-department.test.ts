import { beforeAll, describe, expect, it } from 'vitest';
import { DEPARTMENTS_OF_PROVIDER } from '../../../src/domain/practices/providers/provider-record.ts';
import type { AppointmentStatus } from '../../../src/generated/prisma/client.ts';
import { practiceClient } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { runAsOwner } from '../../support/database-roles.ts';
import { isDistributed } from '../../support/distributed.ts';
import { createOffice, createOrganization, createProvider, createUser } from '../../support/factories.ts';

let office: Record<'north' | 'south', number>;
const test = await ownTestApp();
const clinic = await practiceClient(test);

beforeAll(async () => {
  const { organizationId } = clinic;
  const place = async (name: string) => (await createOffice(rows(), { organizationId, name })).id;
  office = { north: await place('north'), south: await place('south') };
});

const rows = () => test.database.prisma;
const DAY_MS = 24 * 3_600_000;

interface Seen {
  place: 'north' | 'south' | null;
  /** Negative ones are to come. */
  daysAgo?: number;
  status?: AppointmentStatus;
}

const times = (count: number, place: Seen['place']): Seen[] => Array.from({ length: count }, () => ({ place }));

/** Appointments of a provider; of nobody, if the provider is null. */
async function appointments(providerId: number | null, seen: Seen[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { place, daysAgo = 10, status = 'completed' } of seen) {
    const startsAt = new Date(Date.now() - daysAgo * DAY_MS);
    const { id } = await rows().appointment.create({
      data: {
        organizationId: clinic.organizationId,
        providerId,
        officeId: place && office[place],
        startsAt,
        endsAt: new Date(startsAt.getTime() + 1_800_000),
        localStart: startsAt,
        timeZone: 'UTC',
        durationMinutes: 30,
        status,
      },
    });
    ids.push(id);
  }
  return ids;
}

async function usual(providerId: number, threshold: string | number): Promise<'north' | 'south' | undefined> {
  const answer = await clinic.get(`/providers/${providerId}?showusualdepartmentguessthreshold=${threshold}`);
  expect(answer.status, answer.text).toBe(200);
  const id = answer.body[0].usualdepartmentid;
  expect([String(office.north), String(office.south), undefined]).toContain(id);
  return id === undefined ? undefined : id === String(office.north) ? 'north' : 'south';
}

async function providerSeen(seen: Seen[]): Promise<number> {
  const { id } = await createProvider(rows(), { organizationId: clinic.organizationId });
  await appointments(id, seen);
  return id;
}

describe('the usual department of a provider', () => {
  it.each<[string, Seen[], number | string, 'north' | 'south' | undefined]>([
    ['all appointments in one', times(2, 'north'), 1, 'north'],
    ['one appointment elsewhere, for all', [...times(9, 'north'), ...times(1, 'south')], 1, undefined],
    ['one appointment elsewhere, for nine tenths', [...times(9, 'north'), ...times(1, 'south')], 0.9, 'north'],
    ['a share just below', [...times(9, 'north'), ...times(1, 'south')], 0.91, undefined],
    ['a share that is no binary fraction', [...times(11, 'north'), ...times(9, 'south')], 0.55, 'north'],
    ['several that reach it, the most frequent', [...times(2, 'north'), ...times(3, 'south')], 0.3, 'south'],
    ['nought, the most frequent', [...times(1, 'north'), ...times(2, 'south'), ...times(5, null)], 0, 'south'],
    ['nothing at all', [], 0, undefined],
    ['appointments without a department alone', times(3, null), 0, undefined],
    ['appointments without a department, which count against it', [...times(1, 'north'), ...times(1, null)], 0.6, undefined],
    ['half of the appointments without a department', [...times(1, 'north'), ...times(1, null)], '.5', 'north'],
  ])('by %s', async (_, seen, threshold, expected) => {
    expect(await usual(await providerSeen(seen), threshold)).toBe(expected);
  });

  it('is the one of the latest appointment where two are equal', async () => {
    const seen = (last: 'north' | 'south'): Seen[] => [
      { place: 'north', daysAgo: 30 },
      { place: 'south', daysAgo: 30 },
      { place: 'north', daysAgo: last === 'north' ? 1 : 2 },
      { place: 'south', daysAgo: last === 'south' ? 1 : 2 },
    ];
    expect(await usual(await providerSeen(seen('north')), 0.5)).toBe('north');
    expect(await usual(await providerSeen(seen('south')), 0.5)).toBe('south');
  });

  it.each<[string, Seen]>([
    ['is older than 90 days', { place: 'south', daysAgo: 90.01 }],
    ['is still to come', { place: 'south', daysAgo: -1 }],
    ['was cancelled', { place: 'south', status: 'cancelled' }],
  ])('is not changed by an appointment that %s', async (_, other) => {
    expect(await usual(await providerSeen([{ place: 'north' }, other]), 1)).toBe('north');
  });

  it.each<[string, Seen]>([
    ['is just under 90 days old', { place: 'south', daysAgo: 89.99 }],
    ['was not kept by the patient', { place: 'south', status: 'no_show' }],
    ['never got another status', { place: 'south', status: 'scheduled' }],
  ])('counts an appointment that %s', async (_, other) => {
    expect(await usual(await providerSeen([{ place: 'north' }, other]), 1)).toBeUndefined();
  });

  it('is only told to who gives a threshold', async () => {
    const id = await providerSeen(times(2, 'north'));
    for (const query of ['', '?showusualdepartmentguessthreshold='])
      expect((await clinic.get(`/providers/${id}${query}`)).body[0]).not.toHaveProperty('usualdepartmentid');
  });

  it('does not look at the appointments of others', async () => {
    await providerSeen(times(3, 'south'));
    expect(await usual(await providerSeen(times(1, 'north')), 1)).toBe('north');
  });

  it('counts also appointments that name no provider and in which the provider’s user takes part', async () => {
    const { organizationId } = clinic;
    const { user } = await createUser(rows(), { organizationId });
    const provider = await createProvider(rows(), { organizationId, userId: user.id });
    const other = await createProvider(rows(), { organizationId });
    const theirs = await appointments(null, [...times(2, 'south'), { place: 'north', status: 'cancelled' }]);
    const anothers = await appointments(other.id, times(5, 'north'));
    const data = [...theirs, ...anothers].map((appointmentId) => ({ organizationId, userId: user.id, appointmentId }));
    await rows().userAppointment.createMany({ data });
    expect(await usual(provider.id, 1)).toBe('south');
    await appointments(provider.id, times(1, 'north'));
    expect(await usual(provider.id, 0.6)).toBe('south');
    expect(await usual(provider.id, 0.7)).toBeUndefined();
  });

  // The plan of one machine.
  it.skipIf(isDistributed)('is looked up in the appointments of that provider and that time alone', async () => {
    const { id: organizationId } = await createOrganization(rows());
    await busyPractice(organizationId);
    const client = await test.database.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
      await client.query(`PREPARE departments (int, int, timestamptz, timestamptz) AS ${DEPARTMENTS_OF_PROVIDER.text}`);
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN EXECUTE departments (${organizationId}, 1, '2026-01-01Z', '2026-04-01Z')`,
      );
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toMatch(/appointment_organization_id_provider_id_starts_at_idx.*\n.*Index Cond: .*provider_id = \$2.*starts_at >= \$3/);
      expect(text).toMatch(
        /user_appointment_organization_id_user_id_starts_at_\w+.*\n.*Index Cond: .*user_id = p\.user_id.*starts_at >= \$3/,
      );
      expect(text).toMatch(/appointment_pkey/);
      expect(text).not.toMatch(/Seq Scan on .*appointment/);
    } finally {
      await client.query('ROLLBACK; DEALLOCATE ALL');
      client.release();
    }
  });
});

/** A hundred clinicians with sixty appointments each, half of which name no provider. */
async function busyPractice(organizationId: number): Promise<void> {
  // As the owner, whose statements have no limit of time: these are many rows at once.
  await runAsOwner(
    test.databaseUrl,
    `INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at)
    SELECT ${organizationId}, 1000 + n, 'provider', 'A', 'B', now() FROM generate_series(1, 100) n;
    INSERT INTO provider (organization_id, id, user_id, first_name, last_name, updated_at)
    SELECT ${organizationId}, n, 1000 + n, 'A', 'B', now() FROM generate_series(1, 100) n;
    INSERT INTO appointment (organization_id, id, provider_id, starts_at, ends_at, local_start, time_zone, duration_minutes, updated_at)
    SELECT ${organizationId}, n, CASE WHEN n % 2 = 0 THEN n % 100 + 1 END, at, at + interval '30 minutes', at, 'UTC', 30, now()
      FROM generate_series(1, 6000) n, LATERAL (SELECT timestamp '2026-01-01' + n * interval '1 hour') AS time (at);
    INSERT INTO user_appointment (organization_id, user_id, appointment_id)
    SELECT ${organizationId}, 1001 + id % 100, id FROM appointment WHERE organization_id = ${organizationId}`,
  );
  await runAsOwner(test.databaseUrl, 'ANALYZE "user", provider, appointment, user_appointment');
}
