import { describe, expect, it } from 'vitest';
import { setClientActive, withdrawGrant } from '../../src/domain/identity/clients/clients.ts';
import { askToken, decoded, newUser, refresh } from '../identity/support.ts';
import { actorWith } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { type AppStory, appSteps, appStory, REDIRECT } from '../support/app-story.ts';

const test = await sharedTestApp();
const { pages, open, decide, exchange } = appSteps(test);
const story = () => appStory(test);
const readStatus = async (token: string): Promise<number> => (await actorWith(test, token, 0).get('/user')).status;
const refusedAfter = (token: string) => expect.poll(() => readStatus(token), { timeout: 3_000, interval: 25 }).toBe(401);

describe('the page where a person lets an app act for them', () => {
  it('names the app, the person and what follows, and sends the person back with a code', async () => {
    const one = await story();
    const page = await open(one.request, one.browser).expect(200);
    expect(page.text).toContain('Rounds &#60;b&#62;');
    expect(page.text).toContain('You then return to rounds.example.com.');
    expect(page.text).toContain('charts, appointments');
    expect(page.text).toContain('<code>mobile</code>)</summary><p>Appointment types, Appointments, ');
    expect(page.text).not.toContain('the administration of your practice');
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https://rounds.example.com");
    const back = await decide(one);
    expect(back.href).toMatch(/^https:\/\/rounds\.example\.com\/signed-in\?from=triptych&code=/);
    expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual(['a state & more', test.address]);
    const tokens = await exchange(one, back.searchParams.get('code'));
    expect(tokens.body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'mobile',
    });
    expect(await readStatus(tokens.body.access_token)).toBe(200);
    expect(decoded(tokens.body.access_token).claims).toMatchObject({ client_id: one.clientId, iss: test.address });
    const audit = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: one.organizationId, detail: { contains: one.clientId } },
      orderBy: { id: 'asc' },
    });
    expect(audit.map(({ action, operation }) => [action, operation])).toEqual([
      ['update', 'POST /oauth2/v1/authorize'],
      ['sign_in', 'POST /oauth2/v1/token'],
    ]);
  });

  it('sends whoever is not signed in to sign in, and from there back; from another site by way of itself', async () => {
    const one = await story();
    const { headers } = await open(one.request).expect(303);
    const to = new URL(String(headers.location), test.address).searchParams.get('to') ?? '';
    expect(to).toMatch(/^\/oauth2\/v1\/authorize\?client_id=/);
    const signedIn = await pages.send('/sign-in', { email: one.person.email, password: one.person.password, to }).expect(303);
    expect(signedIn.headers.location).toBe(to);
    await pages.http.get(to).set(one.browser).expect(200);
    const fromElsewhere = await open(one.request, { 'sec-fetch-site': 'cross-site' }).expect(200);
    expect(fromElsewhere.headers.refresh).toBe(`0; url=${to}`);
  });

  it('asks for a proof anew where the app wants one, and tells the app what a person would have to be asked', async () => {
    const one = await story();
    const readError = async (parameters: Record<string, string>, browser?: Record<string, string>) =>
      new URL(String((await open({ ...one.request, ...parameters }, browser).expect(303)).headers.location)).searchParams.get('error');
    expect(await readError({ prompt: 'none' })).toBe('login_required');
    expect(await readError({ prompt: 'none' }, one.browser)).toBe('consent_required');
    expect(await readError({ prompt: 'none', max_age: '0' }, one.browser)).toBe('login_required');
    await open({ ...one.request, prompt: 'consent', max_age: '3600' }, one.browser).expect(200);
    for (const parameters of [{ prompt: 'login' }, { prompt: 'consent login' }, { max_age: '0' }]) {
      const { headers } = await open({ ...one.request, ...parameters }, one.browser).expect(303);
      expect(headers.location).toMatch(/^\/sign-in\/confirm\?to=/);
      const to = new URL(String(headers.location), test.address).searchParams.get('to') ?? '';
      const proved = await pages.send('/sign-in/confirm', { password: one.person.password, to }, one.browser).expect(303);
      expect(proved.headers.location).toBe(to);
      await pages.http.get(to).set(one.browser).expect(200);
    }
    const { organizationId } = one;
    await test.database.prisma.session.updateMany({ where: { organizationId }, data: { verifiedAt: new Date(Date.now() - 7_200_000) } });
    expect(await readError({ prompt: 'none', max_age: '3600' }, one.browser)).toBe('login_required');
    const old = await open({ ...one.request, max_age: '3600' }, one.browser).expect(303);
    expect(old.headers.location).toMatch(/^\/sign-in\/confirm\?to=/);
  });

  it('tells the app of a person who cancels, of another practice, and of what is wrong with its request', async () => {
    const one = await story();
    expect((await decide(one, 'cancel')).searchParams.get('error')).toBe('access_denied');
    const stranger = { ...one, browser: await pages.browse(await newUser(test)) };
    expect((await decide(stranger)).searchParams.get('error')).toBe('access_denied');
    const faults: [Record<string, string>, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: '' }, 'invalid_request'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ scope: 'openid' }, 'invalid_scope'],
      [{ request: 'x.y.z' }, 'request_not_supported'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ prompt: 'create' }, 'invalid_request'],
      [{ prompt: 'select_account' }, 'account_selection_required'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ max_age: 'an hour' }, 'invalid_request'],
    ];
    for (const [wrong, error] of faults) {
      const { headers } = await open({ ...one.request, ...wrong }, one.browser).expect(303);
      const { searchParams } = new URL(String(headers.location));
      expect([wrong, searchParams.get('error')]).toEqual([wrong, error]);
      expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a state & more', test.address]);
    }
    const twice = await pages.http
      .get(`/oauth2/v1/authorize?${new URLSearchParams(one.request)}&state=another`)
      .redirects(0)
      .expect(303);
    expect(String(twice.headers.location)).toContain('error=invalid_request');
  });

  it('sends nobody to an address that the app has not registered, nor for an app that is not there', async () => {
    const one = await story();
    const elsewhere = [
      'https://evil.example',
      `${REDIRECT}/more`,
      `${REDIRECT}&x=1`,
      'https://rounds.example.com:8443/signed-in?from=triptych',
      '',
    ];
    for (const redirect_uri of elsewhere) {
      const page = await open({ ...one.request, redirect_uri }, one.browser).expect(400);
      expect(page.headers.location).toBeUndefined();
    }
    await open({ ...one.request, client_id: 'nobody' }, one.browser).expect(400);
    await setClientActive(test.database.prisma, one.clientId, false);
    await open(one.request, one.browser).expect(400);
  });

  it('takes no form of another site', async () => {
    const one = await story();
    const foreign = { ...one.browser, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    await pages.send('/oauth2/v1/authorize', { ...one.request, decision: 'continue' }, foreign).expect(403);
  });
});

describe('a code', () => {
  it('is for its app, its address and its verifier alone', async () => {
    const [one, another] = [await story(), await story()];
    const code = (await decide(one)).searchParams.get('code');
    const wrongs: Record<string, string>[] = [
      { client_id: another.clientId },
      { redirect_uri: 'https://rounds.example.com/' },
      { code_verifier: another.verifier },
      { code: `${code}x` },
    ];
    for (const wrong of wrongs) {
      const answer = await exchange(one, code, wrong);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
    expect((await exchange(one, code, { code_verifier: '' })).body.error).toBe('invalid_request');
    expect((await exchange(one, code, { client_id: 'nobody' })).body.error).toBe('invalid_client');
    expect((await exchange(one, code)).status).toBe(200);
  });

  it('that is used twice ends the session that it opened', async () => {
    const one = await story();
    const code = (await decide(one)).searchParams.get('code');
    const { body } = await exchange(one, code);
    expect((await exchange(one, code)).body.error).toBe('invalid_grant');
    expect(await readStatus(body.access_token)).toBe(401);
    expect((await refresh(test, body.refresh_token)).status).toBe(401);
  });

  it('opens nothing a minute later, nor after the person has signed out', async () => {
    const one = await story();
    const late = (await decide(one)).searchParams.get('code');
    await test.database.prisma.authorizationCode.updateMany({ where: { clientId: one.clientId }, data: { expiresAt: new Date() } });
    expect((await exchange(one, late)).body.error).toBe('invalid_grant');
    const early = (await decide(one)).searchParams.get('code');
    await pages.send('/sign-out', {}, one.browser).expect(303);
    expect((await exchange(one, early)).body.error).toBe('invalid_grant');
  });

  it('of a person who is used by two requests at once opens one session', async () => {
    const one = await story();
    const code = (await decide(one)).searchParams.get('code');
    const answers = await Promise.all([exchange(one, code), exchange(one, code)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const { organizationId, clientId } = one;
    expect(await test.database.prisma.session.count({ where: { organizationId, clientId } })).toBe(1);
  });
});

describe('the session of an app', () => {
  it('is refreshed by that app alone, and ends when the app is switched off or withdrawn', async () => {
    const [one, another] = [await story(), await story()];
    const tokens = async (of: AppStory) => (await exchange(of, (await decide(of)).searchParams.get('code'))).body;
    const first = await tokens(one);
    const grant = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) };
    expect((await askToken(test, { ...grant, client_id: another.clientId })).body.error).toBe('invalid_grant');
    const next = await askToken(test, { ...grant, client_id: one.clientId });
    expect(await readStatus(next.body.access_token)).toBe(200);
    await setClientActive(test.database.prisma, one.clientId, false);
    await refusedAfter(next.body.access_token);
    const other = await tokens(another);
    await withdrawGrant(test.database.prisma, another.clientId, another.organizationId);
    await refusedAfter(other.access_token);
  });
});
