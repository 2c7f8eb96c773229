import { TwinSchemas } from '@fd/testing';
import { CATALOGUE_DATABASE } from '../../src/database/definition.js';

describe('the entities', () => {
  let schemas: TwinSchemas;
  beforeAll(async () => {
    schemas = await TwinSchemas.create(CATALOGUE_DATABASE);
  });
  afterAll(() => schemas.drop());

  it('describe all tables as the migrations make them', async () => {
    expect(await schemas.differences()).toEqual([]);
  });

  it('differ from the migrations by another constraint', async () => {
    const differences = await schemas.differences(
      'ALTER TABLE catalogue.issuers DROP CONSTRAINT uq_issuers__code, ADD CONSTRAINT uq_issuers__code UNIQUE (code)',
    );
    expect(differences).toEqual([
      '- issuers uq_issuers__code UNIQUE (code) DEFERRABLE',
      '+ issuers uq_issuers__code UNIQUE (code)',
    ]);
  });
});
