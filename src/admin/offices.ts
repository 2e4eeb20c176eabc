import type { Command } from 'commander';
import { z } from 'zod';
import { createLocation, createOffice, type Location, listLocations, listOffices, type Office } from '../domain/practices.ts';
import type { Declare } from './command.ts';
import { id, organization, phone, text, timeZone } from './options.ts';
import { list, type Row, record } from './output.ts';

const address = {
  address1: text(200).exactOptional().describe('street'),
  address2: text(200).exactOptional().describe('second line'),
  city: text(100).exactOptional(),
  state: text(50).exactOptional(),
  zip: text(20).exactOptional(),
  phone: phone().exactOptional().describe('telephone number'),
};

export function officeCommands(program: Command, { command }: Declare): void {
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
    run: async ({ change }, { organization: organizationId, providerGroup, ...input }) => {
      const group = providerGroup === undefined ? {} : { providerGroupId: providerGroup };
      return record(officeRow(await change(organizationId, (db, caller) => createOffice(db, caller, { ...input, ...group }))));
    },
  });

  command(offices, 'list', {
    summary: 'List the offices of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ look }, { organization: organizationId }) =>
      list((await look(organizationId, listOffices)).map(officeRow), 'The practice has no offices yet.'),
  });
}

export function locationCommands(program: Command, { command }: Declare): void {
  const locations = program.command('locations').description('Places where care happens, inside an office or beside it.');

  command(locations, 'create', {
    summary: 'Create a location',
    options: z.object({
      organization: organization(),
      name: text(200).describe('its name'),
      office: id().exactOptional().describe('id of the office that it belongs to'),
      ...address,
    }),
    run: async ({ change }, { organization: organizationId, office, ...input }) => {
      const place = office === undefined ? {} : { officeId: office };
      return record(locationRow(await change(organizationId, (db, caller) => createLocation(db, caller, { ...input, ...place }))));
    },
  });

  command(locations, 'list', {
    summary: 'List the locations of a practice',
    options: z.object({ organization: organization() }),
    run: async ({ look }, { organization: organizationId }) =>
      list((await look(organizationId, listLocations)).map(locationRow), 'The practice has no locations yet.'),
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
