import { describe, expect, it } from 'vitest';
import { removeUnclaimedFiles } from '../../../../../src/domain/files/stored-files.ts';
import { createLocalFiles } from '../../../../../src/gateways/files/local-files.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { PNG, storedFiles } from '../../messaging/attachments/uploading.ts';
import { type Person, uuids } from '../../people/people.ts';
import { audited, bytesAt, createSession, createVisit, newPatient, sendMedia } from '../telehealth.ts';

const test = await sharedTestApp();
const db = () => test.database.prisma;

const keep = (who: Person, key: number | string, parts: Record<string, Uint8Array | string>) =>
  sendMedia(test, who, `/video-session/${key}/images`, parts);

describe('a picture of a session with several patients', () => {
  /** A session in which two patients were. */
  async function twoPatients(who: Person) {
    const [ann, bob] = [await newPatient(test, who, { lastName: 'Quill' }), await newPatient(test, who, { lastName: 'Rook' })];
    const session = await createSession(test, who);
    await createVisit(test, who, { videoSessionId: session.id, patientId: ann.id });
    await createVisit(test, who, {
      videoSessionId: session.id,
      patientId: bob.id,
      startedAt: new Date('2031-03-10T15:27:30Z'),
      endedAt: null,
    });
    return { ann, bob, session };
  }
  const found = async (who: Person, query: string) => uuids(await who.get(`/video-session-image/search?${query}`));

  it('belongs to one of them, whom the upload names; only there it is found', async () => {
    const who = await signedInUser(test);
    const { ann, bob, session } = await twoPatients(who);
    const refused = await keep(who, session.id, { file: PNG });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ pointer: '/patient_uuid' }]]);
    expect((await keep(who, session.id, { file: PNG, patient_uuid: '2000000001' })).status).toBe(404);
    const { data } = (await keep(who, session.id, { file: PNG, patient_uuid: String(ann.id), body_site: 'Left forearm' })).body;
    expect(data).toMatchObject({ patient_uuid: ann.id, patients: [{ uuid: ann.id }], body_site: 'Left forearm' });
    expect([await found(who, `patient_id=${ann.id}`), await found(who, `patient_id=${bob.id}`)]).toEqual([[data.uuid], []]);
    expect([await found(who, 'search=quill'), await found(who, 'search=rook')]).toEqual([[data.uuid], []]);
    expect(await audited(test, who)).toContainEqual(['create', 'session_image', [data.uuid], [ann.id]]);
  });

  it('is corrected by its maker or an admin, and audited for both patients', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const [colleague, admin] = [await signedInUser(test, { organizationId }), await signedInUser(test, { organizationId, type: 'admin' })];
    const { ann, bob, session } = await twoPatients(who);
    const { uuid } = (await keep(who, session.guid, { file: PNG, title: 'Rash', patient_uuid: String(ann.id) })).body.data;
    const path = `/video-session/${session.guid}/images/${uuid}`;
    expect((await colleague.put(path).send({ patient_uuid: bob.id })).status).toBe(403);
    const { etag } = (await who.get(`/video-session-image/${uuid}`)).headers;
    const moved = await who.put(path).set('If-Match', String(etag)).send({ patient_uuid: bob.id, body_site: 'Knee' });
    expect([moved.status, moved.body.data]).toMatchObject([200, { patient_uuid: bob.id, title: 'Rash', body_site: 'Knee' }]);
    expect((await who.put(path).set('If-Match', String(etag)).send({ title: 'Late' })).status).toBe(412);
    expect([await found(who, `patient_id=${ann.id}`), await found(who, `patient_id=${bob.id}`)]).toEqual([[], [uuid]]);
    expect(await audited(test, who)).toContainEqual(['update', 'session_image', [uuid], [ann.id, bob.id]]);
    expect((await admin.put(path).send({ patient_uuid: null }).expect(200)).body.data).toMatchObject({ patient_uuid: null, patients: [] });
    expect((await who.put(path).send({ patient_uuid: 2_000_000_001 })).status).toBe(404);
    const other = await createSession(test, who);
    expect((await who.put(`/video-session/${other.guid}/images/${uuid}`).send({ title: 'x' })).status).toBe(404);
  });

  it('is deleted with its files', async () => {
    const who = await signedInUser(test);
    const colleague = await signedInUser(test, { organizationId: who.organizationId });
    const { ann, session } = await twoPatients(who);
    const { uuid } = (await keep(who, session.id, { file: PNG, patient_uuid: String(ann.id) })).body.data;
    const path = `/video-session/${session.id}/images/${uuid}`;
    expect((await colleague.delete(path)).status).toBe(403);
    expect((await who.delete(path)).status).toBe(204);
    for (const gone of [`/video-session-image/${uuid}`, `/video-session-image/${uuid}/body`])
      expect((await who.get(gone)).status).toBe(404);
    expect((await who.delete(path)).status).toBe(404);
    expect(await audited(test, who)).toContainEqual(['delete', 'session_image', [uuid], [ann.id]]);
    await removeUnclaimedFiles({ db: db(), files: createLocalFiles(`${test.config.DATA_DIR}/files`) });
    expect(await storedFiles(test, who)).toEqual([]);
  });

  it('is hidden with a restricted chart, and shown where it is of the other patient', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const { ann, bob, session } = await twoPatients(who);
    const ofAnn = (await keep(who, session.id, { file: PNG, patient_uuid: String(ann.id) })).body.data;
    const ofBob = (await keep(who, session.id, { file: PNG, patient_uuid: String(bob.id) })).body.data;
    const ofNobody = (await keep(who, session.id, { file: PNG, patient_uuid: String(bob.id) })).body.data;
    await who.put(`/video-session/${session.id}/images/${ofNobody.uuid}`).send({ patient_uuid: null }).expect(200);
    await db().privacyRestriction.create({ data: { organizationId, patientId: ann.id, kind: 'record' } });
    expect(uuids(await who.get('/video-session-image'))).toEqual([ofBob.uuid]);
    expect((await who.get(`/video-session/${session.id}`)).body.data).toMatchObject({ image_count: 1 });
    const status = async (data: { uuid: number; thumbnail_url: string }) => [
      (await who.get(`/video-session-image/${data.uuid}`)).status,
      (await bytesAt(data.thumbnail_url, who)).status,
    ];
    expect([await status(ofAnn), await status(ofBob), await status(ofNobody)]).toEqual([
      [404, 404],
      [200, 200],
      [404, 404],
    ]);
    await db().privacyRestriction.create({ data: { organizationId, patientId: bob.id, kind: 'record' } });
    const refused = await keep(who, session.id, { file: PNG });
    expect([refused.status, refused.body.code]).toEqual([403, 'restricted_chart']);
  });
});
