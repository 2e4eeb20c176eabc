import type { Command } from 'commander';
import { z } from 'zod';
import { createLocation, type Location, listLocations } from '../../domain/practices/locations.ts';
import { createOffice, listOffices, type Office, updateOffice } from '../../domain/practices/offices.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { id, organization, phone, state, text, timeZone, zip } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { officeFields, toOfficeChanges } from './office-fields.ts';

const address = {
  address1: text(200).exactOptional().describe('street'),
  address2: text(200).exactOptional().describe('second line'),
  city: text(100).exactOptional(),
  state: state().exactOptional().describe('two letters, or its name'),
  zip: zip().exactOptional().describe('five or nine digits'),
  phone: phone().exactOptional().describe('telephone number'),
};

export function officeCommands(program: Command, { command }: CommandDeclarer): void {
  const offices = program.command('offices').description('Offices of a practice; the practice API calls them departments.');

  command(offices, 'create', {
    summary: 'Create an office',
    options: z.object({
      organization: organization(),
      name: text(200).describe('its name'),
      timeZone: timeZone().exactOptional().describe('its IANA time zone (default that of the practice)'),
      providerGroup: id().exactOptional().describe('id of the provider group that it bills for'),
      ...address,
      fax: phone().exactOptional().describe('fax number'),
    }),
    run: async ({ write }, { organization: organizationId, providerGroup, ...input }) => {
      const group = providerGroup === undefined ? {} : { providerGroupId: providerGroup };
      return record(officeRow(await write(organizationId, (db, caller) => createOffice(db, caller, { ...input, ...group }))));
    },
  });

  command(offices, 'set', {
    summary: 'Change settings of an office',
    details: 'Only what is given changes; an empty text clears. provider-groups assign moves it to another provider group.',
    options: z.object({
      office: id().meta({ positional: true }).describe('id of the office'),
      organization: organization(),
      ...officeFields,
    }),
    run: async ({ write }, { office, organization: organizationId, ...given }) => {
      const input = toOfficeChanges(given);
      if (Object.keys(input).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(fullOfficeRow(await write(organizationId, (db, caller) => updateOffice(db, caller, office, input))));
    },
  });

  command(offices, 'list', {
    summary: 'List the offices of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listOffices)).map(officeRow), 'The practice has no offices yet.'),
  });
}

export function locationCommands(program: Command, { command }: CommandDeclarer): void {
  const locations = program.command('locations').description('Locations inside an office or beside it.');

  command(locations, 'create', {
    summary: 'Create a location',
    options: z.object({
      organization: organization(),
      name: text(200).describe('its name'),
      office: id().exactOptional().describe('id of the office that it belongs to'),
      ...address,
    }),
    run: async ({ write }, { organization: organizationId, office, ...input }) => {
      const place = office === undefined ? {} : { officeId: office };
      return record(locationRow(await write(organizationId, (db, caller) => createLocation(db, caller, { ...input, ...place }))));
    },
  });

  command(locations, 'list', {
    summary: 'List the locations of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listLocations)).map(locationRow), 'The practice has no locations yet.'),
  });
}

const officeRow = (office: Office): Row => ({
  id: office.id,
  organization_id: office.organizationId,
  name: office.name,
  time_zone: office.timeZone,
  city: office.city,
  state: office.state,
  phone: office.phone,
  active: office.active,
});

const fullOfficeRow = (office: Office): Row => ({
  ...officeRow(office),
  patient_department_name: office.patientDepartmentName,
  provider_group_id: office.providerGroupId,
  portal_url: office.portalUrl,
  hidden_in_portal: office.hiddenInPortal,
  clinicals: office.clinicals,
  hospital: office.isHospitalDepartment,
  service: office.isServiceDepartment,
  medication_history_consent: office.medicationHistoryConsent,
  place_of_service: office.placeOfServiceTypeId,
  place_of_service_name: office.placeOfServiceTypeName,
  place_of_service_facility: office.placeOfServiceFacility,
  single_appointment_contract_max: office.singleAppointmentContractMax?.toFixed(2) ?? null,
  one_year_contract_max: office.oneYearContractMax?.toFixed(2) ?? null,
  credit_cards: office.creditCardTypes,
  ecommerce_credit_cards: office.ecommerceCreditCardTypes,
  chart_sharing_group: office.chartSharingGroupId,
  communicator_brand: office.communicatorBrandId,
  latitude: office.latitude?.toString() ?? null,
  longitude: office.longitude?.toString() ?? null,
});

const locationRow = (location: Location): Row => ({
  id: location.id,
  organization_id: location.organizationId,
  office_id: location.officeId,
  name: location.name,
  city: location.city,
  state: location.state,
  phone: location.phone,
  active: location.active,
});
