import * as triptych from 'triptych-client';
import * as integration from 'triptych-client/integration';
import * as mobile from 'triptych-client/mobile';
import * as platform from 'triptych-client/platform';
import * as practice from 'triptych-client/practice';

/**
 * Checks of the installed package, for Node and for a browser: each fails with an Error. What is given is that of `packageClinic`.
 */

const { clientCredentials, connect, hasCode } = triptych;

function same(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
}

async function refusal(work) {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (failure) => failure,
  );
  return error;
}

/** A fetch that notes each request, and does something else to the requests to a path, in their order. */
function watched(path, ...instead) {
  const seen = [];
  const own = async (address, init = {}) => {
    const { pathname } = new URL(address);
    seen.push({ pathname, headers: new Headers(init.headers), at: Date.now() });
    const different = pathname === path ? instead.shift() : undefined;
    return different ? different(address, init) : fetch(address, init);
  };
  return { fetch: own, seen, to: (where) => seen.filter(({ pathname }) => pathname === where) };
}
const lost = async (address, init) => {
  await (await fetch(address, init)).arrayBuffer();
  throw new TypeError('the connection was lost');
};
const unavailable = (seconds) => async () => new Response('{}', { status: 503, headers: { 'retry-after': String(seconds) } });

const connectAs = ({ url, machine }, options = {}) => connect({ url, auth: clientCredentials(machine), ...options });

export const CHECKS = {
  async 'requests at once share one token, which a store keeps'(given) {
    const net = watched();
    const store = triptych.memoryStore();
    const client = connectAs(given, { fetch: net.fetch, auth: clientCredentials({ ...given.machine, store }) });
    await Promise.all([1, 2, 3].map(() => integration.listPatients({ client, query: { limit: 1 } })));
    const again = connectAs(given, { fetch: net.fetch, auth: clientCredentials({ ...given.machine, store }) });
    await integration.listPatients({ client: again, query: { limit: 1 } });
    same([net.to('/oauth2/v1/token').length, net.to('/api/patients').length], [1, 4], 'requests');
  },

  async 'a refused token is replaced'(given) {
    const store = triptych.memoryStore();
    store.set(JSON.stringify({ access_token: 'revoked', expires_at: Date.now() + 600_000 }));
    const client = connectAs(given, { auth: clientCredentials({ ...given.machine, store }) });
    same((await integration.listPatients({ client, query: { limit: 1 } })).data.length, 1, 'patients');
  },

  async 'a wrong secret is an error with its code'(given) {
    const client = connectAs(given, { auth: clientCredentials({ ...given.machine, clientSecret: 'wrong' }) });
    const error = await refusal(integration.listPatients({ client }));
    same([error.name, error.status, error.code], ['TriptychError', 401, 'invalid_client'], 'error');
  },

  async 'a private key takes the place of a secret'({ url, keyClients }) {
    for (const { clientId, key } of keyClients) {
      const client = connect({ url, auth: triptych.privateKeyJwt({ clientId, key }) });
      same((await integration.listPatients({ client, query: { limit: 1 } })).data.length, 1, `patients by ${key.kty} ${key.crv ?? ''}`);
    }
  },

  async 'a POST whose answer is lost is repeated with its key, and done once'(given) {
    const net = watched('/api/patients', lost);
    let replayed = null;
    const client = connectAs(given, { fetch: net.fetch, onResponse: ({ headers }) => (replayed = headers.get('idempotent-replayed')) });
    const mrn = `once-${crypto.randomUUID()}`;
    await integration.createPatient({ client, body: { fname: 'Ann', lname: 'Lee', med_rec_no: mrn } });
    const keys = net.to('/api/patients').map(({ headers }) => headers.get('idempotency-key'));
    same([keys.length, keys[0] === keys[1], replayed], [2, true, 'true'], 'repetition');
    same((await integration.listPatients({ client, query: { med_rec_no: mrn } })).data.length, 1, 'patients');
  },

  async 'Retry-After is kept, and some more'(given) {
    const net = watched('/api/client', unavailable(1), unavailable(1));
    await integration.getClientUser({ client: connectAs(given, { fetch: net.fetch }) });
    const [first, second, third] = net.to('/api/client').map(({ at }) => at);
    const waits = [second - first, third - second];
    if (waits.some((wait) => wait < 1_000) || waits[0] === waits[1]) throw new Error(`waited ${waits}`);
  },

  async 'what cannot pass is not repeated'(given) {
    for (const instead of [unavailable(3_600), async () => new Response('{}', { status: 500 })]) {
      const net = watched('/api/client', instead);
      const error = await refusal(integration.getClientUser({ client: connectAs(given, { fetch: net.fetch }) }));
      same([error.name, net.to('/api/client').length], ['TriptychError', 1], 'attempts');
    }
  },

  async 'an aborted request ends its waiting'(given) {
    const net = watched('/api/client', unavailable(30));
    const client = connectAs(given, { fetch: net.fetch });
    const error = await refusal(integration.getClientUser({ client, signal: AbortSignal.timeout(1_500) }));
    same([error.name, net.to('/api/client').length], ['TimeoutError', 1], 'end');
  },

  async 'errors name code, fields and request in each API'(given) {
    const client = connectAs(given);
    const wrong = await refusal(mobile.createReadings({ client, body: { patient_uuid: 1, item_uuid: 1, value: 1, measured_at: 'soon' } }));
    same(
      [hasCode(wrong, 'invalid_input', wrong.code), wrong.fields[0]?.field, typeof wrong.requestId],
      [true, 'measured_at', 'string'],
      'mobile',
    );
    const none = await refusal(integration.getPatientById({ client, path: { uuid: 999_999_999 } }));
    same([none.status, hasCode(none, 'patient_not_found')], [404, true], 'integration');
    const form = connect({ url: given.url, auth: clientCredentials(given.practiceMachine) });
    const path = { apivariant: 'v1', practiceid: given.practiceId };
    const undated = await refusal(
      practice.registerPatient({ client: form, path, body: { firstname: 'Ann', lastname: 'Lee', dob: 'soon' } }),
    );
    same([undated.status, undated.fields], [400, [{ field: 'dob' }]], 'practice');
  },

  async 'a list goes over all pages'(given) {
    const client = connectAs(given);
    const ids = new Set();
    for await (const patient of triptych.all(integration.listPatients, { client, query: { limit: 60 } })) ids.add(patient.uuid);
    if (ids.size < 150) throw new Error(`${ids.size} patients`);
    const form = connect({ url: given.url, auth: clientCredentials(given.practiceMachine) });
    const path = { apivariant: 'v1', practiceid: given.practiceId };
    const query = { lastname: 'S', limit: 3 };
    let found = 0;
    for await (const { patientid } of triptych.all(practice.searchPatients, { client: form, path, query })) found += patientid ? 1 : 0;
    same(found, Number((await practice.searchPatients({ client: form, path, query })).totalcount), 'patients of the practice API');
    if (found <= 3) throw new Error(`${found} patients on one page`);
  },

  async 'changes are followed from a kept cursor, over a lost stream'(given) {
    const cut = async (address, init) => new Response('retry: 1\n\n', await fetch(address, { ...init, method: 'HEAD' }));
    const register = async () =>
      (await integration.createPatient({ client: connectAs(given), body: { fname: 'Bo', lname: 'Ek' } })).data.uuid;
    const made = [];
    const whileOpen = async (address, init) => {
      const response = await fetch(address, init);
      made.push(await register());
      return response;
    };
    const net = watched('/platform/v1/events/stream', cut, whileOpen);
    const client = connectAs(given, { fetch: net.fetch });
    const cursor = triptych.memoryStore();
    cursor.set((await platform.listEvents({ client, query: { after: 'latest' } })).next);
    made.push(await register());
    const seen = [];
    const options = { client, cursor, types: ['patient.registered'], signal: AbortSignal.timeout(30_000) };
    for await (const { subject } of triptych.follow(options)) {
      seen.push(subject.id);
      if (seen.length === 2) break;
    }
    same([seen, net.to('/platform/v1/events/stream').length], [made, 2], 'followed over two streams');
    // The last one was not dealt with to its end.
    const rest = [];
    for await (const { subject } of triptych.changes(options)) rest.push(subject.id);
    same(rest, [made[1]], 'from the kept cursor');
  },

  async 'deliveries of webhooks are verified by secret and by public key'({ delivery: { headers, body, secret, publicKey } }) {
    const { verifyWebhook } = triptych;
    for (const one of [secret, publicKey, ['whsec_AAAA', secret]]) {
      const { event, sequence } = await verifyWebhook({ headers, body, secret: one });
      same([event.id, sequence], [headers['webhook-id'], Number(headers['webhook-sequence'])], 'delivery');
    }
    await verifyWebhook({ headers: new Headers(headers), body: new TextEncoder().encode(body), secret });
    const late = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) };
    for (const wrong of [
      { headers, body: `${body} `, secret },
      { headers, body: `${body} `, secret: publicKey },
      { headers, body, secret: 'whsec_AAAA' },
      { headers: late, body, secret },
      { headers: { ...headers, 'webhook-signature': 'v1,?' }, body, secret },
      { headers: {}, body, secret },
    ])
      same((await refusal(verifyWebhook(wrong))).name, 'WebhookError', 'forgery');
  },

  async 'a user signs in, and the session is renewed once for all'({ url, user }) {
    const net = watched();
    const store = triptych.memoryStore();
    const auth = triptych.userSession({ store });
    const client = connect({ url, auth, fetch: net.fetch });
    same(await auth.isSignedIn(), false, 'before');
    const wrong = await refusal(mobile.login({ client, body: { ...user, password: 'wrong' } }));
    same(wrong.code, 'wrong_credentials', 'wrong password');
    await auth.keep((await mobile.login({ client, body: user })).data);
    store.set(JSON.stringify({ ...JSON.parse(store.get()), expires_at: 0 }));
    await Promise.all([1, 2, 3].map(() => mobile.getCurrentUser({ client })));
    same(net.to('/refresh').length, 1, 'renewals');
    await mobile.logout({ client });
    store.set(JSON.stringify({ ...JSON.parse(store.get()), expires_at: 0 }));
    same([(await refusal(mobile.getCurrentUser({ client }))).status, await auth.isSignedIn()], [401, false], 'after');
  },

  async 'an upload tells how far it is'({ url, user }) {
    const auth = triptych.userSession();
    const client = connect({ url, auth });
    await auth.keep((await mobile.login({ client, body: user })).data);
    const text = 'a line of text\n'.repeat(40_000);
    const told = [];
    const file = new File([text], 'letter.txt', { type: 'text/plain' });
    const { data } = await mobile.uploadAttachment({ client, body: { file }, onProgress: (progress) => told.push(progress) });
    same([data.byte_length, data.file_name, told[0].sent], [text.length, 'letter.txt', 0], 'upload');
    const last = told.at(-1);
    same(
      [last.sent, last.total >= text.length, told.every(({ sent }, at) => at === 0 || sent >= told[at - 1].sent)],
      [last.total, true, true],
      'progress',
    );
  },

  async 'a file of an import goes on where it broke off'({ url, importer }) {
    const rows = Array.from({ length: 400 }, (_, row) => `Ann,Row${row},1980-01-01,import-${row}`);
    const file = new Blob([['firstname,lastname,dob,external_id', ...rows].join('\n')]);
    const told = [];
    let parts = 0;
    const breaking = (address, init) => {
      if (init.method === 'PATCH') parts += 1;
      return init.method === 'PATCH' && parts === 2 ? lost(address, init) : fetch(address, init);
    };
    const client = connect({ url, auth: clientCredentials(importer), fetch: breaking });
    const query = { kind: 'patients', dry_run: true };
    const id = await triptych.uploadImport({ client, file, query, partBytes: 4_000, onProgress: ({ sent }) => told.push(sent) });
    const { data } = await platform.getImport({ client, path: { id } });
    same([data.received_bytes, told[0], told.at(-1)], [file.size, 0, file.size], 'import');
    same([parts, told.length], [Math.ceil(file.size / 4_000), parts + 1], 'parts, each once');
  },
};
