import { z } from 'zod';
import { CANCEL_REASONS } from '../../../domain/scheduling/appointment/cancel-reasons.ts';
import type { AppointmentTypeRecord } from '../../../domain/scheduling/types/appointment-type-records.ts';
import { id } from '../../../http/wire/wire-types.ts';
import { pageLinkShapes, paging } from '../paging.ts';

export const reasonsQuery = z.object({
  departmentid: id().describe('Department'),
  providerid: id().describe('Provider'),
  ...paging,
});

const ReasonShape = z
  .strictObject({
    reasonid: z.int().describe('Reason id: that of the appointment type'),
    reason: z.string().describe('Name of the appointment type'),
    description: z.string().describe('Description; may be empty'),
    reasontype: z.literal('existing').describe('Kind of patients: those with a chart'),
  })
  .meta({ id: 'PatientAppointmentReason' });

export const ReasonList = z
  .strictObject({
    totalcount: z.int().describe('Number of reasons in the whole list'),
    ...pageLinkShapes,
    patientappointmentreasons: z.array(ReasonShape).describe('The reasons of this page'),
  })
  .meta({ id: 'PatientAppointmentReasonList' });

export const fromReason = ({ id: reasonid, name: reason, description }: AppointmentTypeRecord): z.input<typeof ReasonShape> => ({
  reasonid,
  reason,
  description: description ?? '',
  reasontype: 'existing',
});

const CancelReasonShape = z
  .strictObject({
    reasonid: z.int().describe('Reason id, for appointmentcancelreasonid'),
    name: z.string().describe('The reason'),
    noshow: z.boolean().describe('Whether the patient did not come'),
    slotavailable: z.boolean().describe('Whether the time can be booked again'),
  })
  .meta({ id: 'AppointmentCancelReason' });

export const CancelReasonList = z
  .strictObject({
    totalcount: z.int().describe('Number of reasons'),
    appointmentcancelreasons: z.array(CancelReasonShape).describe('All reasons'),
  })
  .meta({ id: 'AppointmentCancelReasonList' });

export const fromCancelReasons = (): z.input<typeof CancelReasonList> => ({
  totalcount: CANCEL_REASONS.length,
  appointmentcancelreasons: CANCEL_REASONS.map(({ id: reasonid, name, isNoShow }) => ({
    reasonid,
    name,
    noshow: isNoShow,
    slotavailable: true,
  })),
});

export const CustomFieldList = z
  .strictObject({
    totalcount: z.int().min(0).max(0).describe('Number of fields'),
    appointmentcustomfields: z.array(z.never()).describe('Empty'),
  })
  .meta({ id: 'AppointmentCustomFieldList' });
