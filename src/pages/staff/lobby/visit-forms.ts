import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure, invalid } from '../../../domain/errors.ts';
import { listPatients } from '../../../domain/patients/search/list.ts';
import { findColleague, listColleagues } from '../../../domain/practices/colleagues.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { setStatus } from '../../../domain/scheduling/status/appointment-status.ts';
import { inviteToSession, type SessionInviteInput } from '../../../domain/telehealth/invites/invites.ts';
import { openHostLink } from '../../../domain/telehealth/sessions/host-links.ts';
import { openMeeting } from '../../../domain/telehealth/sessions/sessions.ts';
import { openAppointmentVisit } from '../../../domain/telehealth/waiting/lobby.ts';
import type { Tx } from '../../../domain/tx.ts';
import { APPOINTMENT_STATUSES } from '../../../domain/values/appointment-status.ts';
import { readInput } from '../../../http/input/input.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { email, id, longId, optional, phone, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { runForm } from '../forms/run-form.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { requireStaff } from '../sign-in/staff-scope.ts';
import { INVITE, invitePage } from './invite-view.ts';

const appointmentParams = z.object({ appointment: longId() });
const chosenStatus = z.enum(APPOINTMENT_STATUSES).or(z.literal('')).default('');
const StatusForm = z.object({ status: chosenStatus, other: chosenStatus });
const visit = z.guid().optional().catch(undefined);
const written = text(200).default('').catch('');
const InviteQuery = z.object({ visit, last: written, first: written, sent: z.string().optional() });
const InviteForm = z.object({
  visit,
  patient: id().optional(),
  colleague: id().optional(),
  phone: optional(phone()),
  email: optional(email()),
});
/** Charts that a search shows, and colleagues that the form offers. */
const [CHARTS_SHOWN, COLLEAGUES_OFFERED] = [20, 500];

/** Declares a form of the lobby. @param act returns the address that is opened afterwards */
export type LobbyForm = (path: string, act: (tx: Tx, request: FastifyRequest) => Promise<string>) => void;

/** Forms that come back on the page of the lobby where they are refused. To be registered in a staffScope. */
export const lobbyForm =
  (
    app: FastifyInstance,
    { unitOfWork }: StaffPageDeps,
    showLobby: (request: FastifyRequest, refused: RefusedForm) => Promise<string>,
  ): LobbyForm =>
  (path, act) =>
    app.post(path, (request, reply) => {
      let address = '/lobby';
      return runForm(request, reply, {
        address: () => address,
        work: async () => {
          address = await unitOfWork.write(requireStaff(request), (tx) => act(tx, request));
        },
        show: (refused) => showLobby(request, refused),
      });
    });

/** Opens visits: of an appointment, or of nobody yet; and the steps of an appointment. */
export function visitForms(form: LobbyForm, { keyring }: StaffPageDeps): void {
  const readAppointmentId = (request: FastifyRequest) => readInput(appointmentParams, request.params).appointment;

  form('/lobby/start', async (tx) => `/v/${(await openMeeting(tx)).hostToken}`);

  form('/lobby/open', async (tx, request) => {
    const { visit: guid } = readInput(z.object({ visit: z.guid() }), request.body ?? {});
    return `/v/${(await openHostLink(tx, guid)).hostToken}`;
  });

  form('/lobby/appointments/:appointment/visit', async (tx, request) => {
    const { guid } = await openAppointmentVisit(tx, readAppointmentId(request));
    return `/v/${(await openHostLink(tx, guid)).hostToken}`;
  });

  form('/lobby/appointments/:appointment/invite', async (tx, request) => {
    const { guid, patientId } = await openAppointmentVisit(tx, readAppointmentId(request));
    await inviteToSession(tx, guid, { patientId: patientId ?? undefined }, { keyring, origin: readOrigin(request) });
    return `/lobby?link=${readAppointmentId(request)}#appointment-${readAppointmentId(request)}`;
  });

  form('/lobby/appointments/:appointment/status', async (tx, request) => {
    const { status, other } = readInput(StatusForm, request.body ?? {});
    const chosen = status || other;
    if (chosen === '') throw new Failure('invalid', 'no_status', 'Choose a status first.');
    const { id } = await setStatus(tx, readAppointmentId(request), { status: chosen });
    return `/lobby#appointment-${id}`;
  });
}

/** The page that invites people to a visit. To be registered in a staffScope. */
export function invitePages(app: FastifyInstance, { unitOfWork, keyring }: StaffPageDeps): void {
  const show = (request: FastifyRequest, refused?: RefusedForm) => {
    const { visit: guid, last, first, sent } = readInput(InviteQuery, refused?.sent ?? request.query);
    return unitOfWork.read(requireStaff(request), async (tx) => {
      const search = { lastName: last || undefined, firstName: first || undefined };
      const page = { page: 1, limit: CHARTS_SHOWN };
      return invitePage({
        practice: await requireLinkPractice(tx),
        colleagues: (await listColleagues(tx, { words: [] }, { page: 1, limit: COLLEAGUES_OFFERED })).items,
        found: last === '' && first === '' ? null : await listPatients(tx, search, { order: 'search', descending: false }, page),
        names: { last, first },
        visit: guid,
        isSent: sent !== undefined,
        refused,
        bar: staffBar('/lobby', requireStaff(request)),
      });
    });
  };

  app.get(INVITE, async (request, reply) => sendPage(reply, await show(request)));

  app.post(INVITE, (request, reply) => {
    let address = INVITE;
    const work = async () => {
      const invite = readInput(InviteForm, request.body ?? {});
      const guid = await unitOfWork.write(requireStaff(request), async (tx) => {
        const invited = await toInvite(tx, invite);
        const to = invite.visit ?? (await openMeeting(tx)).session.guid;
        await inviteToSession(tx, to, invited, { keyring, origin: readOrigin(request) });
        return to;
      });
      address = `${INVITE}?visit=${guid}&sent=1`;
    };
    return runForm(request, reply, { address: () => address, work, show: (refused) => show(request, refused) });
  });
}

/** A colleague is written to by mail, or by text where no address is known. */
async function toInvite(tx: Tx, { patient, colleague, ...guest }: z.output<typeof InviteForm>): Promise<SessionInviteInput> {
  if (patient !== undefined) return { patientId: patient };
  const to = colleague === undefined ? guest : await findColleague(tx, colleague);
  if (!to.email && !to.phone) throw invalid('phone', 'must be given, unless an email address is', 'missing');
  return to.email ? { email: to.email } : { phone: to.phone ?? undefined };
}
