import { expect, it } from 'vitest';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { createRoom } from '../apis/mobile/telehealth/telehealth.ts';
import { findLink, openMeeting } from '../realtime/room.ts';
import { sharedTestApp } from '../support/app.ts';
import { createRecipient, createSurvey, findLink as findCheckInLink } from '../support/check-ins.ts';
import { askForCode, type Sender, sender, sendLink } from '../support/external-messages.ts';

const test = await sharedTestApp();

type Asked = [method: 'GET' | 'POST', path: string, form?: Record<string, string>];

/** Requests that the holder of each kind of link can make. */
const kinds: Record<string, (who: Sender) => Promise<Asked[]>> = {
  'a check-in': async (who) => {
    const { id: survey_type_id } = await createSurvey(test, who.organizationId);
    const { id: recipient_id } = await createRecipient(test, who.organizationId);
    const { body } = await who.post('/checkin/send').send({ message: 'Well?', sms_email: 'sms', recipient_id, survey_type_id }).expect(201);
    const path = await findCheckInLink(test, who.organizationId, Number(body.data.uuid));
    return [
      ['GET', path],
      ['POST', path, { answer_feeling: 'Well' }],
    ];
  },

  'a message': async (who) => {
    const { uuid: file } = (await upload(test, who, 'words', 'note.txt')).body.data;
    const { path } = await sendLink(test, who, { attachments: [file] });
    return [
      ['GET', path],
      ['GET', `${path}/files/${file}`],
    ];
  },

  'a message behind a code': async (who) => {
    const { path, code } = await askForCode(test, who);
    return [
      ['GET', path],
      ['POST', `${path}/code`],
      ['POST', path, { code }],
    ];
  },

  'a video session': async (who) => {
    const { host, guest } = await openMeeting(who);
    return [
      ['GET', guest],
      ['GET', host],
      ['POST', `${guest}/join`, { name: 'Gus' }],
      ['POST', `${host}/join`],
    ];
  },

  'a waiting room': async (who) => {
    const { id: room } = await createRoom(test, who.organizationId);
    const { id: patient } = await createRecipient(test, who.organizationId);
    const invite = await who
      .post(`/waiting-rooms/${room}/invite/${patient}`)
      .send({ emailOrSms: 'sms', orgOrServiceNumber: 'org' })
      .expect(201);
    const path = await findLink(test, who.organizationId, invite.body.data.uuid);
    return [
      ['GET', path],
      ['POST', `${path}/join`],
    ];
  },
};

async function ask([method, path, form = {}]: Asked) {
  const isForm = !path.endsWith('/join');
  const headers = { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' };
  const body = isForm ? new URLSearchParams(form).toString() : JSON.stringify(form);
  const answer = await fetch(`${test.address}${path}`, { method, redirect: 'manual', ...(method === 'POST' ? { headers, body } : {}) });
  return { status: answer.status, text: await answer.text() };
}

it.each(Object.entries(kinds))('a link of %s opens nothing while its practice is closed, and opens again', async (_, prepare) => {
  const name = 'Elm Street Clinic';
  const who = await sender(test, { organization: { name } });
  const asked = await prepare(who);
  const [first] = asked;
  const switchPractice = (active: boolean) =>
    test.database.prisma.organization.update({ where: { id: who.organizationId }, data: { active } });
  const sent = () => test.database.prisma.smsMessage.count({ where: { organizationId: who.organizationId } });
  await switchPractice(false);
  const before = await sent();
  for (const one of asked) {
    const { status, text } = await ask(one);
    expect([status, text.includes(name)], one.join(' ')).toEqual([404, false]);
  }
  expect(await sent(), 'no code was sent').toBe(before);
  await switchPractice(true);
  expect(first && (await ask(first))).toMatchObject({ status: 200, text: expect.stringContaining(name) });
});
