import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export const ACCOUNT = `AC${'0'.repeat(32)}`;
export const TOKEN = 'not-a-real-token-at-all';

/** A failure of a request: before it has any effect, or afterwards with its response lost. */
type Fault = { status: number; code?: number } | 'lost' | 'silent';

interface StoredMessage {
  sid: string;
  from: string;
  to: string;
  body: string;
  date_created: string;
}

/** The part of Twilio's HTTP API that this server uses, on loopback. */
export interface TwilioDouble {
  url: string;
  messages: StoredMessage[];
  numbers: { sid: string; phone_number: string; friendly_name: string; sms_url: string }[];
  /** By recording id. */
  recordings: Map<string, Buffer>;
  /** Pictures of texts by their id: each request is answered with an address of the store, or of another server. */
  pictures: Map<string, { content: Buffer; location?: string }>;
  /** Messaging services by their SID: the numbers in them, and the status of their campaign; null for none. */
  services: Map<string, { numbers: string[]; campaign: string | null; defersAnswers: boolean }>;
  /** Statuses of toll-free verifications, by the SID of the number. */
  verifications: Map<string, string>;
  /** `METHOD path?query`, in order. */
  requests: string[];
  /** Fails the next request of this method on a path with this ending. */
  fail(method: string, path: string, fault: Fault): void;
  close(): Promise<void>;
}

const account = { account_sid: ACCOUNT, uri: '' };
const sid = (prefix: string) => `${prefix}${randomUUID().replaceAll('-', '')}`;

export async function startTwilioDouble(): Promise<TwilioDouble> {
  const faults: { method: string; path: string; fault: Fault }[] = [];
  const state: Pick<TwilioDouble, 'messages' | 'numbers' | 'recordings' | 'pictures' | 'services' | 'verifications' | 'requests'> = {
    messages: [],
    numbers: [],
    recordings: new Map(),
    pictures: new Map(),
    services: new Map(),
    verifications: new Map(),
    requests: [],
  };

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://double');
    const { method = '' } = request;
    state.requests.push(`${method} ${url.pathname}${url.search}`);
    const form = new URLSearchParams(await text(request));
    const index = faults.findIndex((one) => one.method === method && url.pathname.endsWith(one.path));
    const [planned] = index < 0 ? [] : faults.splice(index, 1);
    const fault = planned?.fault;
    if (typeof fault === 'object')
      return answer(response, fault.status, { status: fault.status, code: fault.code, message: 'To +19105550101: no' });
    if (fault === 'silent') return;
    const stored = state.pictures.get(/^\/store\/(\w+)$/.exec(url.pathname)?.[1] ?? '');
    // The store is asked without a password.
    if (stored) return response.writeHead(request.headers.authorization ? 400 : 200, { 'content-type': 'image/png' }).end(stored.content);
    const expected = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;
    const [status, body] = request.headers.authorization === expected ? act(method, url, form) : [401, { status: 401, code: 20003 }];
    const recording = status === 401 ? undefined : state.recordings.get(/\/Recordings\/(\w+)\.mp3$/.exec(url.pathname)?.[1] ?? '');
    const [, named = ''] = /\/Media\/(\w+)$/.exec(url.pathname) ?? [];
    const picture = status === 401 ? undefined : state.pictures.get(named);
    if (picture) response.writeHead(307, { location: picture.location ?? `/store/${named}` }).end();
    else if (recording) response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(recording);
    else if (fault === 'lost') request.socket.destroy();
    else answer(response, status, body);
  }

  function act(method: string, { pathname, searchParams }: URL, form: URLSearchParams): [number, object | null] {
    const field = (name: string) => form.get(name) ?? '';
    if (pathname.endsWith(`/Accounts/${ACCOUNT}.json`)) return [200, { ...account, sid: ACCOUNT, status: 'active' }];
    if (pathname.startsWith('/v1/')) return messaging(state, method, pathname, { searchParams, form });
    if (pathname.endsWith('/Local.json') || pathname.endsWith('/TollFree.json'))
      return [200, page('available_phone_numbers', available(searchParams))];
    if (pathname.endsWith('/Messages.json')) {
      if (method === 'GET') {
        const found = state.messages.filter(({ from, to }) => from === searchParams.get('From') && to === searchParams.get('To'));
        return [200, page('messages', found.toReversed())];
      }
      const made = {
        ...account,
        sid: sid('SM'),
        from: field('From'),
        to: field('To'),
        body: field('Body'),
        date_created: new Date().toUTCString(),
      };
      state.messages.push(made);
      return [201, made];
    }
    if (pathname.endsWith('/IncomingPhoneNumbers.json')) {
      if (method === 'GET') {
        const wanted = searchParams.get('PhoneNumber');
        return [
          200,
          page(
            'incoming_phone_numbers',
            state.numbers.filter((one) => one.phone_number === wanted),
          ),
        ];
      }
      const number = field('PhoneNumber');
      if (state.numbers.some((one) => one.phone_number === number)) return [400, { status: 400, code: 21422 }];
      const made = { ...account, sid: sid('PN'), phone_number: number, friendly_name: field('FriendlyName'), sms_url: field('SmsUrl') };
      state.numbers.push(made);
      return [201, made];
    }
    const at = state.numbers.findIndex((one) => pathname.endsWith(`/IncomingPhoneNumbers/${one.sid}.json`));
    if (method !== 'DELETE' || at < 0) return [404, { status: 404, code: 20404 }];
    state.numbers.splice(at, 1);
    return [204, null];
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  return {
    ...state,
    url: `http://127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`,
    fail: (method, path, fault) => void faults.push({ method, path, fault }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Answered = [number, object | null];

/** messaging.twilio.com, in the shapes of its documents. */
function messaging(
  { services, verifications }: Pick<TwilioDouble, 'services' | 'verifications'>,
  method: string,
  pathname: string,
  { searchParams, form }: { searchParams: URLSearchParams; form: URLSearchParams },
): Answered {
  const notFound: Answered = [404, { code: 20404, message: `The requested resource ${pathname} was not found`, status: 404 }];
  const list = (key: string, rows: object[]): Answered => [
    200,
    { meta: { key, page: 0, page_size: 50, next_page_url: null, url: '' }, [key]: rows },
  ];
  if (pathname === '/v1/Tollfree/Verifications') {
    const id = searchParams.get('TollfreePhoneNumberSid') ?? '';
    const status = verifications.get(id);
    const verification = { sid: sid('HH'), account_sid: ACCOUNT, tollfree_phone_number_sid: id, status, error_code: null };
    return list('verifications', status === undefined ? [] : [verification]);
  }
  const toShownService = (service: string, { defersAnswers }: { defersAnswers: boolean }) => ({
    sid: service,
    account_sid: ACCOUNT,
    friendly_name: 'Practice',
    use_inbound_webhook_on_number: defersAnswers,
    us_app_to_person_registered: true,
  });
  if (pathname === '/v1/Services')
    return list(
      'services',
      [...services].map(([id, service]) => toShownService(id, service)),
    );
  const [, id = '', part, numberId] = /^\/v1\/Services\/(\w+)(?:\/(PhoneNumbers|Compliance\/Usa2p)(?:\/(\w+))?)?$/.exec(pathname) ?? [];
  const service = services.get(id);
  if (!service) return notFound;
  if (part === undefined) return [200, toShownService(id, service)];
  const { campaign, numbers } = service;
  if (part === 'Compliance/Usa2p') {
    const compliance = {
      sid: sid('QE'),
      account_sid: ACCOUNT,
      messaging_service_sid: id,
      campaign_status: campaign,
      campaign_id: 'CFOOBAR',
      mock: false,
    };
    return list('compliance', campaign === null ? [] : [compliance]);
  }
  const number = (one: string) => ({ sid: one, account_sid: ACCOUNT, service_sid: id, country_code: 'US', capabilities: ['SMS'] });
  if (method === 'GET') return numbers.includes(numberId ?? '') ? [200, number(numberId ?? '')] : notFound;
  const added = form.get('PhoneNumberSid') ?? '';
  const holder = [...services].find(([, other]) => other.numbers.includes(added));
  if (holder) return [409, { code: holder[0] === id ? 21710 : 21712, message: 'Phone Number is associated', status: 409 }];
  numbers.push(added);
  return [201, number(added)];
}

function available(query: URLSearchParams) {
  const areaCode = query.get('AreaCode') ?? '';
  return ['0110', '0111'].map((line) => ({
    ...account,
    friendly_name: `(${areaCode}) 555-${line}`,
    phone_number: `+1${areaCode}555${line}`,
    locality: 'Wilmington',
    region: 'NC',
    capabilities: { voice: true, SMS: true, MMS: true, fax: false },
  }));
}

const page = (name: string, rows: object[]) => ({ [name]: rows, page: 0, page_size: 50, next_page_uri: null, uri: '' });

function answer(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body === null ? undefined : JSON.stringify(body));
}
