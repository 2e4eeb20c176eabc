import { describe, expect, it } from 'vitest';
import type { FiltersOf } from '../../../../src/database/statements/list.ts';
import { ALERTS } from '../../../../src/domain/monitoring/alerts/alert-list.ts';
import { CONDITIONS } from '../../../../src/domain/monitoring/patients/conditions.ts';
import { CHECK_INS_OF_PATIENTS, MONITORED_PATIENTS } from '../../../../src/domain/monitoring/patients/patients.sql.ts';
import { ENROLMENTS, ENROLMENTS_OF_PATIENTS } from '../../../../src/domain/monitoring/programs/enrolments.sql.ts';
import { bucketCount, bucketPage, READINGS, TARGET_CHANGES } from '../../../../src/domain/monitoring/readings/reading-list.sql.ts';
import { READINGS_IN_PLACE } from '../../../../src/domain/monitoring/readings/readings.sql.ts';
import { CHECK_INS } from '../../../../src/domain/monitoring/reviews/check-ins.ts';
import { REVIEWS } from '../../../../src/domain/monitoring/reviews/reviews.ts';
import { PLAIN_READINGS, STEP_READINGS, TARGET_CHANGES as TREND_CHANGES } from '../../../../src/domain/monitoring/trends/trend.sql.ts';
import { explain, fullyRead, indexesIn, mostRows, openFilledDatabase, PLAN_MODES } from '../../../support/plans.ts';

/** Enough that a plan which reads all of them would not be chosen by chance. */
const PATIENTS = 8_000;
/** Every hundredth, half of them in each organization. */
const MONITORED = PATIENTS / 200;

const client = await openFilledDatabase(`
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO patient (organization_id, id, first_name, last_name, medical_record_no, flags, updated_at)
    SELECT 1 + n / 100 % 2, n, 'First' || n * 7919 % 997, 'Last' || n * 31 % 5003, 'M' || n,
           CASE WHEN n % 100 = 0 THEN '{x,rpm}'::text[] WHEN n % 3 = 0 THEN '{x}' ELSE '{}' END, now()
      FROM generate_series(1, ${PATIENTS}) n;
    -- As a replica, which does not look up for each row what it refers to.
    SET session_replication_role = replica;
    INSERT INTO program (organization_id, id, name, updated_at) VALUES (1, 1, 'Heart', now());
    INSERT INTO workflow_step (organization_id, id, program_id, position, name) SELECT 1, n, 1, n, 'Step ' || n FROM generate_series(1, 4) n;
    INSERT INTO program_patient (organization_id, id, program_id, patient_id, step_id, removed_at)
    SELECT 1, p.id, 1, p.id, 2, CASE WHEN p.id % 100 > 0 THEN now() END FROM patient p WHERE p.organization_id = 1;
    INSERT INTO workflow_event (organization_id, program_patient_id, step_id) SELECT 1, e.id, s FROM program_patient e, generate_series(1, 2) s;
    INSERT INTO check_in (organization_id, patient_id, channel, message, link_hash, sent_at, expires_at, answered_at)
    SELECT 1, p.id, 'sms', 'x', sha256((p.id || ' ' || n)::text::bytea), now() - n * interval '1 day', now(), now() - n * interval '1 day'
      FROM patient p, generate_series(1, 3) n WHERE p.organization_id = 1;
    INSERT INTO item (organization_id, id, name, updated_at) SELECT 1, n, 'Item ' || n, now() FROM generate_series(1, 4) n;
    INSERT INTO monitoring_device (organization_id, id, identifier) SELECT 1, p.id, 'Cuff ' || p.id FROM patient p WHERE p.organization_id = 1;
    INSERT INTO reading (organization_id, patient_id, item_id, device_id, source, value, measured_at, measured_on)
    SELECT 1, p.id, n % 4 + 1, p.id, 'device', n, now() - n * interval '1 day', now() FROM patient p, generate_series(1, 6) n WHERE p.organization_id = 1;
    INSERT INTO check_in_review (organization_id, patient_id, check_in_id, user_id, started_at, minutes)
    SELECT 1, c.patient_id, c.id, 1, c.sent_at, 5 FROM check_in c;
    INSERT INTO monitoring_alert (organization_id, patient_id, kind, severity, gravity, check_in_id, occurred_at, raised_at, state, closed_at)
    SELECT 1, c.patient_id, 'missed_check_in', 'watch', 1, c.id, c.sent_at, c.sent_at, CASE WHEN c.patient_id % 200 = 100 THEN 'open' ELSE 'closed' END,
           CASE WHEN c.patient_id % 200 <> 100 THEN now() END
      FROM check_in c;
    INSERT INTO tracked_condition (organization_id, id, patient_id, icd_code, updated_at) SELECT 1, p.id, p.id, 'I10', now() FROM patient p WHERE p.organization_id = 1;
    INSERT INTO tracked_condition_item (organization_id, tracked_condition_id, item_id) SELECT 1, c.id, 1 FROM tracked_condition c;
    SET session_replication_role = origin;
    ANALYZE`);

const ids = Array.from({ length: 40 }, (_, index) => index * 200 + 100);

/** The borders of days. */
const BORDERS = ['2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z', '2026-11-03T05:00:00Z'];
const BY_NAME = { order: 'lastName', descending: false } as const;
const FOUND = { keyword: ['last1', ['last1']] } as const;
const FOUND_VALUES = MONITORED_PATIENTS.values(FOUND);

describe.each(PLAN_MODES)('with a %s plan', (mode) => {
  it.each<[string, { text: string }, unknown[]]>([
    ['a page', MONITORED_PATIENTS.page(BY_NAME), [1, 100]],
    ['a later page', MONITORED_PATIENTS.page(BY_NAME, {}, 'after'), [1, 100, 'LAST1', 'FIRST', 1]],
    ['a page in the order of the last check-ins', MONITORED_PATIENTS.page({ order: 'lastCheckIn', descending: true }), [1, 100]],
    ['a page of those found', MONITORED_PATIENTS.page(BY_NAME, FOUND), [1, ...FOUND_VALUES, 100]],
    ['how many there are', MONITORED_PATIENTS.count(), [1]],
    ['how many are found', MONITORED_PATIENTS.count(FOUND), [1, ...FOUND_VALUES]],
  ])('%s of monitored patients reads those who have the flag, and nobody else', async (_, statement, values) => {
    const steps = await explain(client, statement, values, { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(MONITORED * 3);
  });

  it('the check-ins of a page are found by their patients', async () => {
    const steps = await explain(client, CHECK_INS_OF_PATIENTS, [1, ids], { mode });
    expect(fullyRead(steps)).not.toContain('check_in');
    expect(indexesIn(steps)).toContain('check_in_open_idx');
    expect(mostRows(steps)).toBeLessThanOrEqual(ids.length * 8);
  });

  it('the programs of a page are found by their patients', async () => {
    const steps = await explain(client, ENROLMENTS_OF_PATIENTS, [1, ids], { mode });
    expect(fullyRead(steps).filter((table) => !['program', 'workflow_step', 'user'].includes(table))).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(ids.length * 8);
  });

  it.each<[string, { text: string }, unknown[]]>([
    ['a page', READINGS.page({ order: 'measuredAt', descending: true }), [100]],
    ['a page by item', READINGS.page({ order: 'itemName', descending: false }), [100]],
    ['how many there are', READINGS.count(), []],
    ['summaries by day', bucketPage({ bucket: 'day', order: 'start', descending: true }), [BORDERS, '[]', 100, 0]],
    ['how many summaries there are', bucketCount('hour'), [BORDERS]],
  ])('%s of a patient’s readings reads no other patient’s', async (_, statement, more) => {
    const steps = await explain(client, statement, [1, ids[3], '2020-01-01', 'infinity', [1, 2, 3], null, ...more], { mode });
    expect(fullyRead(steps).filter((table) => table !== 'item')).toEqual([]);
    expect(indexesIn(steps).some((index) => index.startsWith('reading_organization_id_patient_id_measured'))).toBe(true);
    expect(mostRows(steps)).toBeLessThanOrEqual(16);
  });

  it('what was sent before is found by patient and time, and the changes of targets by patient', async () => {
    const sent = ids.map((id) => ({ patient_id: id, item_id: 1, value: 1, measured_at: '2026-01-01T00:00:00Z', source: 'self' }));
    const found = await explain(client, READINGS_IN_PLACE, [1, JSON.stringify(sent)], { mode });
    expect(fullyRead(found)).toEqual([]);
    const changes = await explain(client, TARGET_CHANGES, [1, ids[3], null], { mode });
    expect(fullyRead(changes).filter((table) => table !== 'item')).toEqual([]);
  });

  it('a page of the workflow reads who is in a program now', async () => {
    const statement = ENROLMENTS.page(BY_NAME, { current: true });
    const steps = await explain(client, statement, [1, 100], { mode });
    expect(fullyRead(steps).filter((table) => !['program', 'workflow_step', 'user'].includes(table))).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(MONITORED * 8);
  });

  it.each<[string, FiltersOf<typeof ALERTS>, number]>([
    ['all', {}, 100],
    ['those that are open', { state: 'open' }, MONITORED * 3],
    ['those of a patient', { patientId: ids[3] }, 3],
    ['those of a time', { kind: 'missed_check_in', from: new Date(Date.now() - 1.5 * 24 * 3_600_000) }, PATIENTS],
  ])('a page of the alerts, %s, reads no more of them than are asked for', async (_, given, most) => {
    const page = ALERTS.page({ order: 'severity', descending: true }, given);
    const steps = await explain(client, page, [1, ...ALERTS.values(given), 100], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(most);
  });

  it('the trend of an item reads the readings of the patient alone', async () => {
    const values = [1, ids[3], 1, '2020-01-01', '2100-01-01'];
    const targets = ['{2020-01-01}', '{2100-01-01}', '{90}', '{140}', '{70}', '{180}'];
    const plain = await explain(client, PLAIN_READINGS, [...values, 101], { mode });
    const byStep = await explain(client, STEP_READINGS, [...values, '{2020-01-01,2100-01-01}', ...targets], { mode });
    for (const steps of [plain, byStep]) {
      expect(fullyRead(steps)).toEqual([]);
      expect(mostRows(steps)).toBeLessThanOrEqual(16);
    }
    expect(fullyRead(await explain(client, TREND_CHANGES, values, { mode })).filter((table) => table !== 'item')).toEqual([]);
  });
});

describe('while nothing is known of the name keys of new patients', () => {
  it.each([
    ['check_in', CHECK_INS.count()],
    ['check_in_review', REVIEWS.count()],
    ['tracked_condition', CONDITIONS.count()],
    ['monitoring_alert', ALERTS.count()],
  ])('a list of %s looks each of its patients up by number', async (_, count) => {
    await client.query('BEGIN');
    await client.query(`DELETE FROM pg_statistic WHERE starelid = 'patient_name_key'::regclass`);
    await client.query(`SELECT pg_clear_relation_stats('public', 'patient_name_key')`);
    const steps = await explain(client, count, [1], { mode: 'custom' });
    const keys = steps.filter((step) => step['Relation Name'] === 'patient_name_key');
    expect(keys.map((step) => step['Index Name'])).toEqual(['patient_name_key_pkey']);
    expect(keys.every((step) => step['Index Cond']?.includes('patient_id'))).toBe(true);
  });
});
