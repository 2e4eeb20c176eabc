import { z } from 'zod';
import type { Organization } from '../../../../domain/practices/organizations.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, paging, timeOfDay } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

export const addressShape = z.strictObject({
  address: z.string().nullable(),
  address2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable().describe('Two-letter code of the state'),
  zip: z.string().nullable(),
});

interface Addressed {
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

export function fromAddress({ address1, address2, city, state, zip }: Addressed): z.input<typeof addressShape> {
  return { address: address1, address2, city, state, zip };
}

export const OrganizationShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
    website: z.string().nullable(),
    address: addressShape,
    timezone: z.string().describe('IANA time zone'),
    settings: z.strictObject({
      language: z.string(),
      double_booking: z.enum(['allow', 'refuse']).describe('Whether appointments of one user may overlap'),
      default_appointment_length: z.int().describe('In minutes'),
      quiet_hours_start: timeOfDay().describe('Local time of the patient, such as 21:00'),
      quiet_hours_end: timeOfDay(),
    }),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Organization' });

export const OrganizationResponse = one(OrganizationShape).meta({ id: 'OrganizationResponse' });
export const OrganizationList = wrapList(OrganizationShape).meta({ id: 'OrganizationList' });

export const organizationParams = z.object({ organization: id().describe('Organization id') });
export const organizationsQuery = z.object(paging);

export function fromOrganization(organization: Organization): z.input<typeof OrganizationShape> {
  return {
    uuid: organization.id,
    name: organization.name,
    phone: writePhone(organization.phone),
    email: organization.email,
    website: organization.website,
    address: fromAddress(organization),
    timezone: organization.timeZone,
    settings: {
      language: organization.languageId,
      double_booking: organization.doubleBooking,
      default_appointment_length: organization.defaultAppointmentLength,
      quiet_hours_start: organization.quietHoursStart,
      quiet_hours_end: organization.quietHoursEnd,
    },
    created_at: writeInstant(organization.createdAt),
    updated_at: writeInstant(organization.updatedAt),
  };
}
