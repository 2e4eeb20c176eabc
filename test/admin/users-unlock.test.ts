import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newUser, oneByOne, signIn } from '../identity/support.ts';
import { ownTestApp } from '../support/app.ts';
import { createOperator } from './command-line.ts';

const limits = { SIGN_IN_FAILURES_ACCOUNT: '3', SIGN_IN_FAILURES_ADDRESS: '5' };
const test = await ownTestApp({ TRUST_PROXY: '127.0.0.1', ...limits });
const operator = createOperator(test, limits);

const newAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
const failTimes = (count: number, email: () => string, from: string) =>
  oneByOne(Array.from({ length: count }), () => signIn(test, email(), 'wrong', from));
const stranger = () => `${randomUUID()}@example.com`;

describe('users unlock', () => {
  it('opens the account and names it, the addresses that failed, and the address that is still locked', async () => {
    const una = await newUser(test);
    const [clinic, elsewhere] = [newAddress(), newAddress()];
    await signIn(test, una.email, una.password, clinic).expect(200);
    await failTimes(3, () => una.email, elsewhere);
    await failTimes(5, stranger, clinic);
    await signIn(test, una.email, una.password, newAddress()).expect(429);
    await expect
      .poll(
        () => test.database.prisma.auditEntry.count({ where: { organizationId: una.user.organizationId, action: 'sign_in_refused' } }),
        {
          timeout: 10_000,
        },
      )
      .toBe(4);

    const said = await operator.say('users unlock --json', una.email);
    expect([said.code, JSON.parse(said.out)]).toEqual([
      0,
      {
        id: una.user.id,
        practice_id: una.user.organizationId,
        account_was_locked: true,
        devices_were_locked: 0,
        failed_from: [elsewhere],
        locked_addresses: [clinic],
      },
    ]);
    expect(said.err).toContain(`npm run admin -- users unlock --address ${clinic}\n`);
    await signIn(test, una.email, una.password, newAddress()).expect(200);
    expect((await signIn(test, una.email, una.password, clinic)).body.code).toBe('too_many_failures_of_address');

    expect((await operator.say(`users unlock --address ${clinic}`)).out).toMatch(/counts removed +1/);
    await signIn(test, una.email, una.password, clinic).expect(200);
    const audited = await test.database.prisma.auditEntry.findFirst({
      where: { organizationId: una.user.organizationId, action: 'administer', resource: 'network_address' },
    });
    expect(audited).toMatchObject({ actor: 'operator:tester', detail: `network_address.unlocked ${clinic}` });
    expect((await operator.say('users unlock', una.email)).out).toContain('No network address is locked.');
  });

  it('says how many addresses are locked that the user never signed in from', async () => {
    await failTimes(5, stranger, newAddress());
    const una = await newUser(test);
    const said = await operator.say('users unlock', una.email);
    expect(said.out).toMatch(/account was locked +no\n/);
    expect(said.out).toMatch(/Locked network addresses that this user has not signed in from: \d+\. The log names them/);
  });

  it('opens the /64 of an IPv6 address', async () => {
    expect((await operator.say('users unlock --address 2001:db8:0:7::1')).out).toMatch(/network +2001:db8:0:7::\/64\n/);
  });

  it.each([
    ['', 'Name what to unlock: a user, or --address.'],
    [' 12 --address 10.0.0.1', 'Name either a user or --address, not both.'],
    [' --address here', '--address: must be an IPv4 or IPv6 address, such as 203.0.113.7.'],
  ])('refuses “users unlock%s”', async (words, sentence) => {
    expect(await operator.say(`users unlock${words}`)).toMatchObject({ code: 2, err: `${sentence}\n` });
  });
});
