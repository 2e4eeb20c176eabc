import { readMoment } from '../../src/domain/values/time/time.ts';
import { USER_ID } from '../credentials.ts';
import type { BenchRequest } from '../workloads/workload.ts';

/** A request without the field names of our APIs, for translation to a peer's interface. */
export type PeerRequest = OnePatient | Search | Month | Create | Update;

interface OnePatient {
  about: 'patient';
  organizationId: number;
  id: number;
}

export interface Search {
  about: 'search';
  organizationId: number;
  /** Folded prefixes. */
  last: string | null;
  first: string | null;
  officeId: number | null;
  limit: number;
  offset: number;
}

/** Appointments that are not cancelled, by their starts, from the first instant to before the second. */
export interface Month {
  about: 'appointments';
  organizationId: number;
  from: string;
  before: string;
  /** Filters by office, user and confirmation; null for all. */
  officeId: number | null;
  userId: number | null;
  confirmation: string | null;
  limit: number;
}

/** Values by column, in the format of the peers. */
export type Columns = Record<string, string | number | boolean | string[] | null>;

interface Create {
  about: 'create';
  columns: Columns;
}

interface Update {
  about: 'update';
  organizationId: number;
  id: number;
  columns: Columns;
}

/** Of all practices of the bench. */
const TIME_ZONE = 'America/New_York';
const ORGANIZATION_ID = 1;

/** Null for requests that need an aggregate, and for the writes that only this server and the floor are measured with. */
export function toPeerRequest(request: BenchRequest): PeerRequest | null {
  const { pathname, searchParams } = new URL(request.path, 'http://any');
  if (request.method === 'POST' && !pathname.endsWith('/patients')) return null;
  if (request.method === 'PUT') return readUpdate(request.body ?? '', lastNumber(pathname));
  if (request.method === 'POST') return readCreate(new URLSearchParams(request.body));
  if (pathname === '/appointments/percentage') return null;
  if (pathname.startsWith('/appointments')) return readMonth(pathname, searchParams);
  return pathname.endsWith('/patients')
    ? readSearch(searchParams)
    : { about: 'patient', organizationId: ORGANIZATION_ID, id: lastNumber(pathname) };
}

const lastNumber = (path: string) => Number(path.slice(path.lastIndexOf('/') + 1));
const toNumber = (text: string | null) => (text === null ? null : Number(text));
/** A searched name as the database compares it: folded, without blanks, hyphens and apostrophes. */
const fold = (text: string | null) =>
  text
    ?.normalize('NFD')
    .replaceAll(/\p{M}|[\s'’-]/gu, '')
    .toLowerCase() ?? null;

function readSearch(given: URLSearchParams): Search {
  return {
    about: 'search',
    organizationId: ORGANIZATION_ID,
    last: fold(given.get('lastname')),
    first: fold(given.get('firstname')),
    officeId: toNumber(given.get('departmentid')),
    limit: Number(given.get('limit')),
    offset: Number(given.get('offset') ?? 0),
  };
}

const DAY_MS = 86_400_000;
const midnight = (day: string) => readMoment(`${day}T00:00`, TIME_ZONE, 'day').instant.toISOString();
const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

function readMonth(pathname: string, given: URLSearchParams): Month {
  const ofUser = pathname === '/appointments' ? USER_ID : toNumber(given.get('user_id'));
  return {
    about: 'appointments',
    organizationId: ORGANIZATION_ID,
    from: midnight(given.get('min_appointment_date') ?? ''),
    before: midnight(dayAfter(given.get('max_appointment_date') ?? '')),
    officeId: toNumber(given.get('office')),
    userId: ofUser,
    confirmation: given.get('status'),
    limit: Number(given.get('limit') ?? 100),
  };
}

const e164 = (digits: string | null) => (digits === null ? null : `+1${digits}`);
const isoDay = (day: string) => `${day.slice(6)}-${day.slice(0, 2)}-${day.slice(3, 5)}`;

function readCreate(form: URLSearchParams): Create {
  const {
    dob = '',
    race,
    departmentid,
    homephone = null,
    mobilephone = null,
    firstname = null,
    lastname = null,
    ...same
  } = Object.fromEntries<string | undefined>(form);
  const columns: Columns = {
    organizationId: ORGANIZATION_ID,
    firstName: firstname,
    lastName: lastname,
    birthDate: isoDay(dob),
    homePhone: e164(homephone),
    mobilePhone: e164(mobilephone),
    races: race === undefined ? [] : [race],
    primaryOfficeId: Number(departmentid),
    registrationDate: new Date().toISOString().slice(0, 10),
  };
  for (const [name, value] of Object.entries(same)) if (value !== undefined) columns[name] = value;
  return { about: 'create', columns };
}

function readUpdate(body: string, id: number): Update {
  const { address, phone_no, email, do_not_sms } = JSON.parse(body);
  const { address: address1, ...place } = address;
  const columns = { address1, ...place, mobilePhone: e164(phone_no), email, doNotSms: do_not_sms };
  return { about: 'update', organizationId: ORGANIZATION_ID, id, columns };
}
