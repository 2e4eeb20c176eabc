import { describe, expect, it } from 'vitest';
import { ENROLMENTS_OF_PATIENTS, enrolmentPage } from '../../../../src/domain/monitoring/enrolments.sql.ts';
import { CHECK_INS_OF_PATIENTS, monitoredCount, monitoredPage } from '../../../../src/domain/monitoring/patients.sql.ts';
import { bucketCount, bucketPage, READING_COUNT, readingPage, TARGET_CHANGES } from '../../../../src/domain/monitoring/reading-list.sql.ts';
import { READINGS_IN_PLACE } from '../../../../src/domain/monitoring/readings.sql.ts';
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
    INSERT INTO tracked_condition (organization_id, id, patient_id, icd_code, updated_at) SELECT 1, p.id, p.id, 'I10', now() FROM patient p WHERE p.organization_id = 1;
    INSERT INTO tracked_condition_item (organization_id, tracked_condition_id, item_id) SELECT 1, c.id, 1 FROM tracked_condition c;
    SET session_replication_role = origin;
    ANALYZE`);

const ids = Array.from({ length: 40 }, (_, index) => index * 200 + 100);

describe.each(PLAN_MODES)('with a %s plan', (mode) => {
  it.each<[string, { text: string }, unknown[]]>([
    ['a page', monitoredPage({ search: false, order: 'lastName', descending: false }), [1, 100, 0]],
    ['a page in the order of the last check-ins', monitoredPage({ search: false, order: 'lastCheckIn', descending: true }), [1, 100, 0]],
    ['a page of those found', monitoredPage({ search: true, order: 'lastName', descending: false }), [1, 100, 0, 'last1', ['last1']]],
    ['how many there are', monitoredCount(false), [1]],
    ['how many are found', monitoredCount(true), [1, 'last1', ['last1']]],
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
    ['a page', readingPage({ order: 'measuredAt', descending: true }), [100, 0]],
    ['a page by item', readingPage({ order: 'itemName', descending: false }), [100, 0]],
    ['how many there are', READING_COUNT, []],
    ['summaries by day', bucketPage({ bucket: 'day', order: 'start', descending: true }), ['America/New_York', '[]', 100, 0]],
    ['how many summaries there are', bucketCount('hour'), ['America/New_York']],
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
    const statement = enrolmentPage({ scope: 'current', order: 'lastName', descending: false });
    const steps = await explain(client, statement, [1, 100, 0], { mode });
    expect(fullyRead(steps).filter((table) => !['program', 'workflow_step', 'user'].includes(table))).toEqual([]);
    expect(mostRows(steps)).toBeLessThanOrEqual(MONITORED * 8);
  });
});
