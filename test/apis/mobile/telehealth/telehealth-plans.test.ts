import { describe, expect, it } from 'vitest';
import { HIDDEN_MEDIA_SESSIONS, MEDIA } from '../../../../src/domain/telehealth/media/media-lists.sql.ts';
import { DESERTED_SESSIONS } from '../../../../src/domain/telehealth/presence/presence-heartbeats.ts';
import { CHAT_COUNT, CHAT_PAGE, NEW_MESSAGES, PRESENT_VISIT, WRITE_MESSAGE } from '../../../../src/domain/telehealth/sessions/chat.sql.ts';
import { SESSIONS as LIST, SESSIONS_BY_ID } from '../../../../src/domain/telehealth/sessions/session-lists.sql.ts';
import { FIGURES_BY_DAY, FIGURES_BY_USER } from '../../../../src/domain/telehealth/visits/reports.sql.ts';
import { visitPage } from '../../../../src/domain/telehealth/visits/visits.sql.ts';
import { LOBBY } from '../../../../src/domain/telehealth/waiting/lobby.sql.ts';
import { explain, fullyRead, mostRows, openFilledDatabase, type PlanMode, rowsTouched } from '../../../support/plans.ts';

/** Enough that a plan which reads all of them would not be chosen by chance: 50 a day, of two practices. */
const SESSIONS = 10_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at)
    SELECT o, n, 'staff', 'Una' || n, 'User' || n, now() FROM generate_series(1, 2) o, generate_series(1, 40) n;
    INSERT INTO patient (organization_id, id, first_name, last_name, updated_at)
    SELECT 1 + n % 2, n, 'First' || n, 'Last' || n, now() FROM generate_series(1, 4000) n;
    INSERT INTO privacy_restriction (organization_id, patient_id, kind) SELECT 1, n, 'record' FROM generate_series(2, 20, 2) n;
    -- As a replica, which does not look up for each row what it refers to.
    SET session_replication_role = replica;
    INSERT INTO waiting_room (organization_id, id, name, updated_at) VALUES (1, 1, 'Desk', now()), (2, 1, 'Desk', now());
    INSERT INTO video_session (organization_id, id, guid, host_user_id, guest_link_hash, created_at, started_at, ended_at, expires_at)
    SELECT 1 + n % 2, n, gen_random_uuid(), 1 + n % 40, int4send(-n), at, at, at + interval '20 minutes', at + interval '1 day'
      FROM generate_series(1, ${SESSIONS}) n, LATERAL (SELECT timestamptz '2030-01-01' + n / 50 * interval '1 day' + n % 50 * interval '20 minutes') t (at);
    INSERT INTO session_participant (organization_id, video_session_id, role, patient_id, last_seen_at, joined_at, admitted_at, left_at, visit)
    SELECT organization_id, id, 'guest', 1 + (id - 1) % 4000, ended_at, started_at, started_at, ended_at, 1 FROM video_session;
    INSERT INTO telehealth_visit (organization_id, video_session_id, patient_id, started_at, ended_at)
    SELECT organization_id, id, 1 + (id - 1) % 4000, started_at, ended_at FROM video_session;
    INSERT INTO waiting_room_visit (organization_id, waiting_room_id, patient_id, video_session_id, entered_at, last_seen_at, admitted_at, left_at)
    SELECT organization_id, 1, 1 + (id - 1) % 4000, id, started_at - interval '9 minutes', started_at, started_at, started_at FROM video_session;
    INSERT INTO attachment (organization_id, id, file_name, media_type, byte_length, sha256, storage_key)
    VALUES (1, 1, 'a.png', 'image/png', 1, '\\x01', '1/a'), (2, 1, 'a.png', 'image/png', 1, '\\x01', '2/a');
    INSERT INTO session_image (organization_id, video_session_id, attachment_id, taken_at, patient_id)
    SELECT organization_id, id, 1, started_at, 1 + (id - 1) % 4000 FROM video_session;
    -- Nobody came to each fifth session, which is never ended; a few run, each with somebody who waits.
    UPDATE video_session SET started_at = NULL, ended_at = NULL WHERE id % 5 = 0;
    UPDATE video_session SET ended_at = NULL, visit = 1 WHERE id % 1000 = 1;
    INSERT INTO session_participant (organization_id, video_session_id, role, patient_id, last_seen_at, waiting_since, connection)
    SELECT organization_id, id, 'guest', 1 + (id - 1) % 4000, now(), now(), gen_random_uuid() FROM video_session WHERE id % 1000 = 1;
    INSERT INTO session_chat_message (organization_id, video_session_id, visit, participant_id, text)
    SELECT p.organization_id, p.video_session_id, 1, p.id, 'Hello' FROM session_participant p, generate_series(1, 3);
    SET session_replication_role = origin`,
  'VACUUM (ANALYZE) video_session, session_participant, telehealth_visit, waiting_room_visit, session_image, session_chat_message, patient, patient_name_key, "user"',
);

const LARGE = [
  'video_session',
  'session_participant',
  'telehealth_visit',
  'waiting_room_visit',
  'session_image',
  'session_chat_message',
  'patient',
  'patient_name_key',
];

/** The rows that the largest node of a plan handled, and the large tables that it scans sequentially. */
async function explainStatement(statement: { text: string }, values: unknown[], mode: PlanMode) {
  const steps = await explain(client, statement, values, { mode });
  return { whole: fullyRead(steps).filter((name) => LARGE.includes(name)), most: mostRows(steps) };
}

const EVER = ['-infinity', 'infinity'];
const WEEK = ['2030-06-01T00:00:00Z', '2030-06-08T00:00:00Z'];
const DAYS = Array.from({ length: 7 }, (_, index) => `2030-06-0${index + 1}T00:00:00Z`);
const NEWEST = { order: 'taken', descending: true } as const;

describe.each(['chosen', 'custom'] as const)('with a %s plan', (mode) => {
  it.each([
    ['by creation', 'createdAt'],
    ['by start', 'startedAt'],
    ['by id', 'id'],
  ] as const)('a page of sessions %s reads no further than the page', async (_, order) => {
    for (const descending of [true, false]) {
      const plan = await explainStatement(LIST.page({ order, descending }), [1, ...EVER, 50], mode);
      expect(plan.whole).toEqual([]);
      expect(plan.most).toBeLessThanOrEqual(110);
    }
  });

  it('a page of sessions for patients, the newest start first, looks up who was there', async () => {
    const page = LIST.page({ order: 'startedAt', descending: true }, { ofPatients: true });
    const plan = await explainStatement(page, [1, ...EVER, 50], mode);
    expect(plan.whole).toEqual([]);
    expect(plan.most).toBeLessThanOrEqual(SESSIONS / 2);
  });

  it('the sessions with restricted patients, whose pictures of nobody lists leave out, are found by indexes', async () => {
    const plan = await explainStatement(HIDDEN_MEDIA_SESSIONS, [1], mode);
    expect(plan.whole).toEqual([]);
    // Of ten patients, with some sessions each, as participants and as visitors.
    expect(plan.most).toBeLessThanOrEqual(100);
  });

  it('the records of a page of sessions are looked up, not searched for', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => 2 * index + 2);
    const plan = await explainStatement(SESSIONS_BY_ID, [1, ids], mode);
    expect(plan.whole).toEqual([]);
    // So many sessions, beside each of so many users.
    expect(plan.most).toBeLessThanOrEqual(100 * 40);
  });

  it('a page of pictures reads no further than the page', async () => {
    const plan = await explainStatement(MEDIA.image.page(NEWEST), [1, ...EVER, [], 50], mode);
    expect(plan.whole).toEqual([]);
    expect(plan.most).toBeLessThanOrEqual(110);
  });

  it('a page of a patient’s visits of both kinds reads no further than the page', async () => {
    for (const descending of [true, false]) {
      const plan = await explainStatement(visitPage('both', descending), [1, 2, 5, 5], mode);
      expect(plan.whole).toEqual([]);
      expect(plan.most).toBeLessThanOrEqual(25);
    }
  });

  it('the figures of a week read that week', async () => {
    const byDay = await explainStatement(FIGURES_BY_DAY, [1, ...WEEK, DAYS], mode);
    const byUser = await explainStatement(FIGURES_BY_USER, [1, ...WEEK], mode);
    for (const plan of [byDay, byUser]) {
      expect(plan.whole).toEqual([]);
      // 25 a day of each of three kinds; grouped twice.
      expect(plan.most).toBeLessThanOrEqual(1_200);
    }
  });
});

describe.each(['chosen', 'custom'] as const)('in a room, with a %s plan', (mode) => {
  it('the lobby reads who waits, of however many that came and went', async () => {
    const plan = await explainStatement(LOBBY, [1, 200], mode);
    expect(plan.whole).toEqual([]);
    expect(plan.most).toBeLessThanOrEqual(50);
  });

  it('the chat reads the messages of its visit', async () => {
    const participant = `(SELECT id FROM session_participant WHERE video_session_id = 2001 AND left_at IS NOT NULL)`;
    const { rows } = await client.query<{ id: string }>(`SELECT id FROM (${participant}) AS found`);
    const id = rows[0]?.id;
    const plans = [
      await explainStatement(NEW_MESSAGES, [2, 2001, id, 'a patient', 0], mode),
      await explainStatement(CHAT_PAGE, [2, 2001, true, 'a patient', 50, 0], mode),
      await explainStatement(CHAT_COUNT, [2, 2001, false], mode),
      await explainStatement(PRESENT_VISIT, [2, 2001, id], mode),
      await explainStatement(WRITE_MESSAGE, [2, 2001, id, 'Hello', null, 10, 20], mode),
    ];
    for (const plan of plans) {
      expect(plan.whole).toEqual([]);
      expect(plan.most).toBeLessThanOrEqual(10);
    }
  });

  it('the sessions that everybody left are found among those that run, without those that nobody came to', async () => {
    const steps = await explain(client, DESERTED_SESSIONS, [600, 500], { mode });
    expect(fullyRead(steps).filter((name) => LARGE.includes(name))).toEqual([]);
    expect(Math.max(...steps.map(rowsTouched))).toBeLessThanOrEqual(50);
  });
});

describe('with a custom plan', () => {
  it('the pictures of a patient are found by indexes', async () => {
    const plan = await explainStatement(MEDIA.image.page(NEWEST, { patientId: 7 }), [1, ...EVER, [], 7, 50], 'custom');
    expect(plan.whole).toEqual([]);
    expect(plan.most).toBeLessThan(100);
  });

  it('the sessions of a patient, and those of a name, are found by indexes', async () => {
    const listing = { order: 'createdAt', descending: true } as const;
    const ofPatient = await explainStatement(LIST.page(listing, { patientId: 7 }), [1, ...EVER, 7, 50], 'custom');
    expect(ofPatient.whole).toEqual([]);
    expect(ofPatient.most).toBeLessThan(100);
    const ofName = await explainStatement(LIST.page(listing, { name: ['last399'] }), [1, ...EVER, 'last399', 50], 'custom');
    expect(ofName.whole.filter((name) => name !== 'video_session')).toEqual([]);
    expect(ofName.most).toBeLessThanOrEqual(SESSIONS);
  });
});
