// Examples at the end of each command's help. A test holds that they are commands.

export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: [
    'ren serve                                    # with a live demo',
    'ren serve --no-demo                          # your own data, in ./data/ren.db',
    'ren serve --catalog items.csv --events log.csv',
    'ren serve --catalog ml-1m/movies.dat --events ml-1m/ratings.dat --reward 1',
    'ren serve --events log.csv --model-file model.safetensors',
    'ren serve --method sasrec+ren --set explorationWeight=0.3',
  ],
  import: [
    'ren import --events log.csv --catalog items.csv',
    'ren import --events clicks.jsonl.gz --time-unit seconds --skip-bad-rows',
  ],
  export: [
    'ren export > log.jsonl',
    'ren export --after 120000 --kind feedback --out new.jsonl',
    'ren export --items --out items.jsonl',
    'ren export --model learned.safetensors',
  ],
  backup: ['ren backup --out /backup/monday.db'],
  restore: ['ren restore --from /backup/monday.db --store ./data/ren.db'],
  key: [
    'ren key create --name shop --scope recommend,events',
    'ren key list --json',
    'ren key revoke 1f0c',
  ],
  train: [
    'ren train --events log.csv --out model.safetensors',
    'ren train --events log.csv --model sasrec --out m.safetensors --epochs 20 --threads 2',
  ],
  evaluate: [
    'ren evaluate --events log.csv --model-file model.safetensors',
    'ren evaluate --events log.csv --split time=0.1 --json',
  ],
  simulate: [
    'ren simulate --world syn-s --method ren-g --feedback shown --seed 7',
    'ren simulate --world syn-m --method sasrec+ren --set explorationWeight=0.3 --json',
  ],
  reproduce: [
    'ren reproduce                                # list the experiments',
    'ren reproduce syn-s                          # run or resume one',
    'ren reproduce all --quick                    # run all of them, small',
    'ren reproduce syn-s --check                  # repeat a few runs and compare',
  ],
  check: ['ren check --json'],
}
