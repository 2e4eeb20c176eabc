import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { PHONE, sharedBrowser } from '../support/browser.ts';
import { startTurnServer } from '../support/turn-server.ts';
import { DESK, joinAs, leaveAll, open, seeEachOther } from './visiting.ts';

const relay = await startTurnServer();
const test = await ownTestApp({ ICE_SERVERS: relay.url, TURN_SECRET: relay.secret });
const browser = await sharedBrowser();

/** As behind firewalls that let nothing through but the relay. */
const RELAY_ONLY = `{
  window.connections = [];
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(settings) {
      super({ ...settings, iceTransportPolicy: 'relay' });
      window.connections.push(this);
    }
  };
}`;

const kinds = z.array(z.object({ local: z.string(), remote: z.string() }));

/** The kinds of the two ends of each connection that carries the media. */
const readCandidateKinds = async (page: Page) =>
  kinds.parse(
    await page.evaluate(`Promise.all(window.connections.filter((one) => one.connectionState === 'connected').map(async (one) => {
      const stats = await one.getStats();
      const transport = [...stats.values()].find(({ type }) => type === 'transport');
      const pair = stats.get(transport.selectedCandidatePairId);
      return { local: stats.get(pair.localCandidateId).candidateType, remote: stats.get(pair.remoteCandidateId).candidateType };
    }))`),
  );

it('three who reach nothing but the relay see each other through it', async () => {
  const provider = await signedInUser(test, { type: 'provider' });
  const { host_link: hostLink, guest_link: guestLink } = (await provider.get('/meet-session').expect(200)).body.data;
  const host = await joinAs(await open(browser, hostLink, DESK, RELAY_ONLY));
  await host.getByText('Nobody else is here.').waitFor();
  const guests: Page[] = [];
  for (const name of ['Sam Doe', 'Max Roe']) {
    guests.push(await joinAs(await open(browser, guestLink, PHONE, RELAY_ONLY), name));
    await host.getByRole('button', { name: `Admit: ${name}` }).click();
    if (guests.length > 1) await host.getByRole('button', { name: 'Admit with them' }).click();
    await seeEachOther(host, ...guests);
  }
  const throughRelay = { local: 'relay', remote: 'relay' };
  for (const page of [host, ...guests]) expect(await readCandidateKinds(page)).toEqual([throughRelay, throughRelay]);
  await leaveAll(host, ...guests);
});
