import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { arrivedTexts } from '../support/arrived.ts';
import { picture, sharedBrowser } from '../support/browser.ts';
import { askingPractice, createRecipient } from '../support/check-ins.ts';
import { DESK, endForAll, joinAs, leaveAll, open, SOON, saysGoodbye, seeEachOther } from './visiting.ts';

const test = await ownTestApp();
const browser = await sharedBrowser();
const { organizationId } = await askingPractice(test);
const provider = await signedInUser(test, { organizationId, type: 'provider' });
const patient = await createRecipient(test, organizationId);
const stopJobs = startJobs({ ...test.services, origin: test.address });
afterAll(stopJobs);

/** The link in the newest text on the patient's phone. */
async function linkOnPhone(path: 'v' | 'w'): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(async () => {
      const texts = await arrivedTexts(test.database.prisma, test.keyring, { toNumber: patient.mobilePhone ?? '' });
      link = texts.flatMap(({ body }) => new RegExp(`https?://\\S+/${path}/\\S+`).exec(body) ?? [])[0];
      return link;
    }, SOON)
    .toBeDefined();
  return link ?? '';
}

const played = z.object({ duration: z.number(), at: z.number(), width: z.number() });

/** Loads a recording with the user's token, jumps to its middle, and tells where the player is then. */
async function playFromTheMiddle(page: Page, url: string, token: string) {
  const seen = await page.locator('body').evaluate(
    async (body, { url, token }) => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      const video = body.ownerDocument.createElement('video');
      const heard = (name: string) =>
        new Promise((resolve, reject) => {
          video.addEventListener(name, resolve, { once: true });
          video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true });
        });
      video.muted = true;
      const loaded = heard('loadeddata');
      video.src = URL.createObjectURL(await answer.blob());
      await loaded;
      const sought = heard('seeked');
      video.currentTime = video.duration / 2;
      await sought;
      return { duration: video.duration, at: video.currentTime, width: video.videoWidth };
    },
    { url, token },
  );
  return played.parse(seen);
}

it('a patient is invited by text, waits, is admitted, is seen, photographed, recorded; and the visit is right', {
  timeout: 180_000,
}, async () => {
  const meeting = (await provider.get('/meet-session').expect(200)).body.data;
  await provider.post(`/video-session/${meeting.guid}/invite`).send({ patient_id: patient.id, emailOrSms: 'sms' }).expect(201);
  const guest = await open(browser, await linkOnPhone('v'));
  await guest.getByText('You, mirrored. The others see you unmirrored.').waitFor();
  await picture(guest, 'visit-before');
  await joinAs(guest);
  await guest.getByText('Hudson Family Practice knows that you are here.').waitFor();
  await picture(guest, 'visit-waits');
  const host = await joinAs(await open(browser, meeting.host_link, DESK));
  await host.getByRole('button', { name: 'Admit: Rosa' }).waitFor();
  await picture(host, 'visit-host-admits');
  await host.getByRole('button', { name: 'Admit: Rosa' }).click();
  await seeEachOther(host, guest);
  await picture(host, 'visit-host');
  await picture(guest, 'visit-guest');

  await guest.getByRole('button', { name: 'Mute' }).press('Enter');
  expect(await guest.getByRole('button', { name: 'Unmute' }).count()).toBe(1);
  await guest.getByRole('button', { name: 'Unmute' }).press('Enter');

  await host.getByRole('button', { name: 'Picture of Rosa' }).click();
  await host.getByText(/^The picture (of Rosa.* )?was saved\.$/).waitFor();
  const images = (await provider.get('/video-session-image').expect(200)).body.data;
  expect(images).toMatchObject([{ video_session_guid: meeting.guid, patients: [{ uuid: patient.id }], media_type: 'image/png' }]);
  expect(Math.min(images[0].width, images[0].height)).toBeGreaterThan(100);

  await host.getByRole('button', { name: 'Record' }).click();
  await guest.getByRole('heading', { name: 'May this visit be recorded?' }).waitFor();
  await picture(guest, 'visit-may-record');
  await guest.getByRole('button', { name: 'Yes, record' }).click();
  await guest.locator('#recorded').waitFor();
  await sleep(5_000);
  await picture(host, 'visit-recording');
  await host.getByRole('button', { name: 'Stop recording' }).click();
  await host.getByText('The recording was saved.').waitFor();
  await guest.locator('#recorded').waitFor({ state: 'hidden' });
  const [recording] = (await provider.get('/video-session-video').expect(200)).body.data;
  expect(recording).toMatchObject({ seekable: true, thumbnail_url: expect.any(String) });
  const { duration, at, width } = await playFromTheMiddle(host, recording.url, provider.token);
  expect(duration).toBeGreaterThan(4);
  expect(duration).toBeLessThan(60);
  expect(Math.abs(at - duration / 2)).toBeLessThan(0.5);
  expect(width).toBeGreaterThan(0);

  // As if it had taken seven minutes so far.
  await test.database.prisma
    .$executeRaw`UPDATE telehealth_visit SET started_at = started_at - interval '7 minutes' WHERE patient_id = ${patient.id}`;
  const visits = async () => (await provider.get(`/patients/${patient.id}/telehealth-visits`).expect(200)).body.data;
  expect(await visits()).toMatchObject([{ video_session_guid: meeting.guid, ended_at: null, minutes: null }]);
  await guest.getByRole('button', { name: 'Leave' }).click();
  await saysGoodbye(guest, 'You left the visit.');
  await guest.getByRole('heading', { name: 'What happens next' }).waitFor();
  await host.getByText('Nobody else is here.').waitFor();
  await picture(guest, 'visit-goodbye');
  const [visit, ...more] = await visits();
  expect(more).toEqual([]);
  const minutes = (Date.parse(visit.ended_at) - Date.parse(visit.started_at)) / 60_000;
  expect(minutes).toBeGreaterThan(7);
  expect(minutes).toBeLessThan(10);
  expect(visit.minutes).toBe(Math.round(minutes));
  await endForAll(host);
  await saysGoodbye(host, 'This visit has ended.');
  await picture(host, 'visit-goodbye-host');
  expect(await host.getByRole('link', { name: 'To the lobby' }).getAttribute('href')).toContain(`/lobby?visit=${meeting.guid}`);
  await leaveAll(host, guest);
});

it('who is let in from a waiting room goes on into the session by itself', async () => {
  const { organizationId } = provider;
  const room = await test.database.prisma.waitingRoom.create({ data: { organizationId, userId: provider.user.id, name: 'Lobby' } });
  await provider.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({ emailOrSms: 'sms' }).expect(201);
  const guest = await open(browser, await linkOnPhone('w'));
  await guest.getByRole('button', { name: 'Enter the waiting room' }).click();
  await guest.getByText('You have been in the waiting room since').waitFor();
  await picture(guest, 'waiting-room');
  const waiting = (await provider.get(`/waiting-rooms/${room.id}/waiting`).expect(200)).body.data;
  expect(waiting).toMatchObject([{ patient: { uuid: patient.id } }]);
  const admitted = (await provider.post(`/waiting-rooms/${room.id}/admit/${waiting[0].uuid}`).expect(200)).body.data;
  await guest.getByText('Nobody else is here.').waitFor();
  const host = await joinAs(await open(browser, admitted.session.host_link));
  await seeEachOther(host, guest);
  await picture(host, 'visit-host-phone');
  expect(await host.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
  await leaveAll(host, guest);
});
