import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { sharedBrowser } from '../support/browser.ts';
import { fillDemo, findUser } from '../support/demo.ts';
import { joinAs, open, seeEachOther } from './visiting.ts';

/** A camera that shows a drawn face in these colours, whose eyes follow a slow clock, so that the picture moves. */
const faceCamera = (wall: string, skin: string, hair: string, shirt: string): string => `{
  const canvas = Object.assign(document.createElement('canvas'), { width: 480, height: 360 });
  const pen = canvas.getContext('2d');
  const oval = (colour, x, y, wide, high, from = 0, to = 7) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.ellipse(x, y, wide, high, 0, from, to);
    pen.fill();
  };
  const paint = () => {
    pen.fillStyle = '${wall}';
    pen.fillRect(0, 0, 480, 360);
    const sway = Math.sin(Date.now() / 900) * 3;
    oval('${hair}', 240 + sway, 168, 104, 128);
    oval('${shirt}', 240, 400, 170, 130);
    pen.fillStyle = '${skin}';
    pen.fillRect(210 + sway, 230, 60, 60);
    oval('${skin}', 240 + sway, 178, 80, 98);
    oval('${hair}', 240 + sway, 120, 88, 58, Math.PI, 2 * Math.PI);
    for (const side of [-32, 32]) {
      oval('#ffffff', 240 + side + sway, 172, 13, 9);
      oval('#2b2320', 240 + side + sway * 1.6, 172, 6, 7);
    }
    pen.strokeStyle = '#8c4a3c';
    pen.lineWidth = 5;
    pen.lineCap = 'round';
    pen.beginPath();
    pen.arc(240 + sway, 205, 30, 0.25 * Math.PI, 0.75 * Math.PI);
    pen.stroke();
  };
  paint();
  setInterval(paint, 100);
  const devices = navigator.mediaDevices;
  const camera = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (asked) => {
    const stream = await camera(asked);
    if (!asked.video) return stream;
    for (const track of stream.getVideoTracks()) track.stop();
    return new MediaStream([...stream.getAudioTracks(), ...canvas.captureStream(10).getVideoTracks()]);
  };
}`;

const SIZE = { width: 800, height: 760 };
const test = await ownTestApp();
const browser = await sharedBrowser();
const [practice] = await fillDemo(test);
if (!practice) throw new Error('the demo has no practice');

/** The page of a monitored patient, scrolled to the first trend. */
async function openTrend(from: Browser): Promise<{ page: Page; name: string }> {
  const page = await (await from.newContext({ viewport: SIZE })).newPage();
  const { email, password } = findUser(practice ?? expect.unreachable(), 'admin');
  await page.goto(`${test.address}/sign-in?to=/monitoring/patients`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const first = page.locator('table a').first();
  const name = await first.innerText();
  await first.click();
  await page.locator('#trends').evaluate((part) => part.scrollIntoView());
  await page.locator('.trend-figure-wide svg').first().waitFor();
  return { page, name };
}

it('a visit with a face, beside the trend of its patient, as the README shows them', async () => {
  const trend = await openTrend(browser);
  const provider = await signedInUser(test, {
    organizationId: practice.practiceid,
    type: 'provider',
    user: { firstName: 'Maria', lastName: 'Chen' },
  });
  const { host_link: hostLink, guest_link: guestLink } = (await provider.get('/meet-session').expect(200)).body.data;
  const host = await joinAs(await open(browser, hostLink, SIZE, faceCamera('#cfdfe6', '#e7bd9b', '#3a2c26', '#f4f6f7')));
  const guest = await joinAs(await open(browser, guestLink, SIZE, faceCamera('#e9dfcf', '#c78f66', '#241a16', '#2f6f62')), trend.name);
  await host.getByRole('button', { name: `Admit: ${trend.name}` }).click();
  await seeEachOther(host, guest);
  const sides = await Promise.all([host, trend.page].map(async (page) => (await page.screenshot({ type: 'png' })).toString('base64')));
  const both = await (await browser.newContext({ viewport: { width: 1_648, height: 792 } })).newPage();
  await both.setContent(`<body style="margin:0;display:flex;gap:16px;padding:16px;background:#d9e2e6">
${sides.map((data) => `<img src="data:image/png;base64,${data}" width="800" height="760" style="border-radius:12px">`).join('')}`);
  await both.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  const shown = await both.screenshot({ type: 'jpeg', quality: 82 });
  expect(shown.byteLength).toBeGreaterThan(40_000);
  if (process.env.PICTURE) await writeFile(process.env.PICTURE, shown);
});
