import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';

const test = await ownTestApp();
const db = test.database.prisma;

const migration = (name: string) => readFile(new URL(`../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8');

const MIGRATIONS = ['20261124010000_visits_of_a_session', '20261124020000_pictures_of_one_patient', '20261124050000_guests_without_charts'];

/** The tables as they were before the three migrations. */
const UNDO = `
  DROP TRIGGER appointment_links_follow ON appointment;
  DROP FUNCTION appointment_links_follow;
  DROP INDEX video_session_took_place_idx, video_session_started_last_idx;
  ALTER TABLE video_session ADD COLUMN host_link_hash bytea;
  UPDATE video_session SET host_link_hash = int8send(id);
  ALTER TABLE video_session ALTER COLUMN host_link_hash SET NOT NULL;
  CREATE UNIQUE INDEX video_session_organization_id_host_link_hash_key ON video_session (organization_id, host_link_hash);
  DROP TABLE session_host_link, still_request;
  ALTER TABLE session_image DROP COLUMN body_site, DROP COLUMN maker_participant_id, DROP COLUMN maker_user_id, DROP COLUMN patient_id,
    DROP COLUMN shown_participant_id;
  ALTER TABLE session_video DROP COLUMN body_site, DROP COLUMN maker_participant_id, DROP COLUMN maker_user_id, DROP COLUMN patient_id,
    DROP COLUMN shown_participant_id, DROP COLUMN playable;
  ALTER TABLE video_session DROP COLUMN locked_at, DROP COLUMN visit;
  ALTER TABLE session_participant DROP CONSTRAINT session_participant_left_after_joining, DROP CONSTRAINT session_participant_in_a_visit,
    DROP COLUMN camera, DROP COLUMN microphone, DROP COLUMN entries, DROP COLUMN removed_at, DROP COLUMN visit;
  ALTER TABLE telehealth_visit DROP CONSTRAINT telehealth_visit_one_after_another, DROP COLUMN visit;
  ALTER TABLE waiting_room_visit DROP COLUMN camera, DROP COLUMN microphone, DROP COLUMN entries`;

it('sessions that stand get one visit, pictures their only patient, and hosts the links that they had', async () => {
  const { id: organizationId } = await createOrganization(db);
  const { user: host } = await createUser(db, { organizationId });
  const { user: nurse } = await createUser(db, { organizationId });
  const [alone, first, second] = [
    await createPatient(db, { organizationId }),
    await createPatient(db, { organizationId }),
    await createPatient(db, { organizationId }),
  ];
  const began = new Date('2031-03-01T10:00:00Z');
  const gone = new Date('2031-03-01T10:20:00Z');
  const session = () =>
    db.videoSession.create({
      data: {
        organizationId,
        guid: randomUUID(),
        hostUserId: host.id,
        guestLinkHash: Buffer.from(randomUUID()),
        createdAt: began,
        expiresAt: gone,
      },
    });
  const [ofOne, ofTwo, empty] = [await session(), await session(), await session()];
  const guest = { organizationId, role: 'guest', lastSeenAt: gone, joinedAt: began, admittedAt: began, leftAt: gone, visit: 1 };
  await db.sessionParticipant.createMany({
    data: [
      { ...guest, videoSessionId: ofOne.id, patientId: alone.id },
      { ...guest, videoSessionId: ofTwo.id, patientId: first.id },
      { ...guest, videoSessionId: ofTwo.id, patientId: second.id },
      { ...guest, videoSessionId: empty.id, admittedAt: null, visit: null },
    ],
  });
  await db.telehealthVisit.create({
    data: { organizationId, videoSessionId: ofOne.id, patientId: alone.id, startedAt: began, endedAt: gone },
  });
  const file = { organizationId, fileName: 'a.png', mediaType: 'image/png', byteLength: 1, sha256: Buffer.from('1') };
  const uploaded = await db.attachment.create({ data: { ...file, storageKey: randomUUID(), uploadedByUserId: nurse.id } });
  const fromPage = await db.attachment.create({ data: { ...file, storageKey: randomUUID() } });
  const pictures = [
    { videoSessionId: ofOne.id, attachmentId: uploaded.id },
    { videoSessionId: ofOne.id, attachmentId: fromPage.id },
    { videoSessionId: ofTwo.id, attachmentId: uploaded.id },
    { videoSessionId: empty.id, attachmentId: fromPage.id },
  ].map((one) => ({ organizationId, ...one }));
  await db.sessionImage.createMany({ data: pictures });
  await db.sessionVideo.createMany({ data: pictures });

  await runAsOwner(test.databaseUrl, UNDO);
  // Clocks of two processes once wrote this.
  await runAsOwner(test.databaseUrl, `UPDATE session_participant SET left_at = joined_at - interval '1 s' WHERE patient_id = ${second.id}`);
  for (const name of MIGRATIONS) await runAsOwner(test.databaseUrl, `BEGIN; ${await migration(name)}; COMMIT`);
  // The server grants its role the new tables when all migrations are applied.
  await runAsOwner(test.databaseUrl, 'GRANT SELECT ON session_host_link TO PUBLIC');

  const inOrder = { where: { organizationId }, orderBy: { id: 'asc' } } as const;
  expect((await db.videoSession.findMany(inOrder)).map(({ visit }) => visit)).toEqual([1, 1, 0]);
  expect((await db.telehealthVisit.findMany(inOrder)).map(({ visit }) => visit)).toEqual([1]);
  const people = await db.sessionParticipant.findMany(inOrder);
  expect(people.map(({ patientId, visit, leftAt }) => ({ patientId, visit, leftAt }))).toEqual([
    { patientId: alone.id, visit: 1, leftAt: gone },
    { patientId: first.id, visit: 1, leftAt: gone },
    { patientId: second.id, visit: 1, leftAt: began },
    { patientId: null, visit: null, leftAt: gone },
  ]);
  const owners = [
    { patientId: alone.id, makerUserId: nurse.id },
    { patientId: alone.id, makerUserId: host.id },
    { patientId: null, makerUserId: nurse.id },
    { patientId: null, makerUserId: host.id },
  ];
  expect(await db.sessionImage.findMany(inOrder)).toMatchObject(owners);
  expect(await db.sessionVideo.findMany(inOrder)).toMatchObject(owners.map((one) => ({ ...one, playable: true })));
  const links = await db.sessionHostLink.findMany(inOrder);
  expect(
    links.map(({ videoSessionId, userId, linkHash }) => ({ videoSessionId, userId, hash: Buffer.from(linkHash).readBigInt64BE() })),
  ).toEqual([ofOne, ofTwo, empty].map(({ id }) => ({ videoSessionId: id, userId: host.id, hash: BigInt(id) })));
});
