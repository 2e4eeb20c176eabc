import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readMonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import { type LinkPractice, requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { type DaySchedule, readDaySchedule } from '../../../domain/scheduling/lists/day-schedule.ts';
import { readSession, type SessionRecord } from '../../../domain/telehealth/sessions/session-lists.ts';
import { parseWaitingKey, WAITING_KEY } from '../../../domain/telehealth/sessions/waiting-key.ts';
import { LATE_MINUTES, tellEverybodyLate, tellLate } from '../../../domain/telehealth/waiting/late-notices.ts';
import { type Lobby, openVisitFromLobby, readLobby } from '../../../domain/telehealth/waiting/lobby.ts';
import { toFailure } from '../../../http/errors/error-mapping.ts';
import { readInput } from '../../../http/input/input.ts';
import { longId } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { lobbyList, lobbyPage } from './view.ts';
import { invitePages, type LobbyForm, lobbyForm, visitForms } from './visit-forms.ts';

const guest = z.string().regex(WAITING_KEY);
const VisitForm = z.object({ guest });
const LobbyQuery = z.object({
  gone: z.string().optional(),
  visit: z.guid().optional().catch(undefined),
  link: longId().optional().catch(undefined),
});
const EverybodyForm = z.object({
  minutes: z
    .enum(LATE_MINUTES.map(String))
    .transform(Number)
    .pipe(z.union(LATE_MINUTES.map((minutes) => z.literal(minutes)))),
});
const LateForm = EverybodyForm.extend({
  guest,
  /** When the notice was sent that the page showed; empty where it showed none. */
  seen: z.string().max(40).default(''),
});

interface ShownLobby extends Lobby {
  practice: LinkPractice;
  openAlerts: number;
  schedule: DaySchedule;
}

/** The lobby of a practice, for its signed-in users. To be registered in a staffScope. */
export function lobbyPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const { unitOfWork, keyring } = deps;

  const read = (request: FastifyRequest, known: string | null) =>
    unitOfWork.read(requireStaff(request), async (tx): Promise<ShownLobby> => {
      const { open: openAlerts } = await readMonitoringState(tx);
      const [waiting = '', alerts, day = null] = known?.split('.') ?? [];
      const schedule = await readDaySchedule(tx, alerts === String(openAlerts) ? day : null);
      const lobby = await readLobby(tx, keyring, schedule.appointments === null ? waiting : null);
      // One part that has changed is sent with the others.
      const whole = lobby.guests !== null && schedule.appointments === null ? await readDaySchedule(tx, null) : schedule;
      const version = `${lobby.version}.${openAlerts}.${whole.version}`;
      return { practice: await requireLinkPractice(tx), openAlerts, ...lobby, schedule: whole, version };
    });
  const show = async (request: FastifyRequest, refused?: RefusedForm) => {
    const { guests, ...shown } = await read(request, null);
    const { gone, visit, link: linkSent = null } = readInput(LobbyQuery, request.query);
    const lastVisit = visit === undefined ? null : await findVisit(deps, request, visit);
    const bar = staffBar('/lobby', requireStaff(request));
    return lobbyPage({ ...shown, linkSent, isGone: gone !== undefined, lastVisit, refused, guests: guests ?? [], bar });
  };

  app.get('/lobby', async (request, reply) => sendPage(reply, await show(request)));

  app.get('/lobby/waiting', async (request, reply) => {
    const { guests, version, ...shown } = await read(request, request.headers['if-none-match']?.replaceAll('"', '') ?? null);
    reply.header('etag', `"${version}"`);
    return guests === null ? reply.code(304).send() : sendPage(reply, lobbyList({ ...shown, guests }));
  });

  const form = lobbyForm(app, deps, show);
  lateForms(form);
  visitForms(form, deps);
  invitePages(app, deps);

  app.post('/lobby/visit', async (request, reply) => {
    const { guest: key } = readInput(VisitForm, request.body ?? {});
    const opening = unitOfWork.write(requireStaff(request), (tx) => openVisitFromLobby(tx, parseWaitingKey(key)));
    const token = await opening.catch((error: unknown) => {
      if (toFailure(error).kind === 'conflict') return null;
      throw error;
    });
    return reply.redirect(token === null ? '/lobby?gone=1' : `/v/${token}`, 303);
  });
}

/** A visit by its GUID; null where the practice has none of it. */
const findVisit = ({ unitOfWork }: StaffPageDeps, request: FastifyRequest, guid: string): Promise<SessionRecord | null> =>
  unitOfWork
    .read(requireStaff(request), (tx) => readSession(tx, guid))
    .catch((error: unknown) => {
      if (toFailure(error).kind === 'not_found') return null;
      throw error;
    });

/** Tells those who wait that the practice runs late. */
function lateForms(form: LobbyForm): void {
  form('/lobby/late/everybody', async (tx, request) => {
    await tellEverybodyLate(tx, readInput(EverybodyForm, request.body ?? {}).minutes);
    return '/lobby';
  });

  form('/lobby/late', async (tx, request) => {
    const { guest: key, minutes, seen } = readInput(LateForm, request.body ?? {});
    await tellLate(tx, { waiting: parseWaitingKey(key), minutes, tapKey: toUuid(`${key} ${minutes} ${seen}`) });
    return '/lobby';
  });
}

/** One button of one state of the page has one key, whoever taps it and however often. */
const toUuid = (text: string): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
