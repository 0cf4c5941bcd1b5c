// Batches concurrent lookups: one statement serves many requests. A statement is sent only after
// all its lookups have arrived, so each lookup sees every revocation that was confirmed before it
// began.
import { batched } from '../base/coalesce.ts';

const LOOK_UPS_PER_STATEMENT_MAX = 500;
const HELD_MS_MIN = 5;
const HELD_MS_MAX = 200;

export function batchedLookUps<Fact>(
  find: (names: string[]) => Promise<Map<string, Fact>>,
): (name: string) => Promise<Fact | null> {
  const batch = batched<string, Fact | null>({
    max: LOOK_UPS_PER_STATEMENT_MAX,
    inFlightMax: 1,
    heldMsMin: HELD_MS_MIN,
    heldMsMax: HELD_MS_MAX,
  });
  return (name) =>
    batch('', name, async (names) => {
      const facts = await find([...new Set(names)]);
      return names.map((each) => facts.get(each) ?? null);
    });
}
