import { recordEvidence } from '@fd/testing';
import { expectAllDeliveredWhileKilling } from '../../test/support/event-kills.js';

describe('events of a partner', () => {
  it('all arrive, in the order of each user, while replicas are killed', async () => {
    const figures = await expectAllDeliveredWhileKilling({ waiting: 1_000, users: 100, kills: 3 });
    recordEvidence('events-never-lost', figures);
  });
});
