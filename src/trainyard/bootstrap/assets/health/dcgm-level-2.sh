#!/usr/bin/env bash
# Runs DCGM's level 2 on this node, which takes minutes, and prints one line:
#
#   NODE: passed             every test that could run did well
#   NODE: failed: …          a GPU did not: 1. Where DCGM says so, it has to be taken out of use
#   NODE: not tested: …      DCGM could not run: 2. That says nothing about the GPUs
#
# What DCGM itself prints goes to standard error. Only nodes that no job uses may be tested: dcgm-level-2.sbatch sees to
# it. https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html
set -euo pipefail
# An empty part of a search path is the folder that somebody calls it in.
export PATH=${PATH:+$PATH:}/usr/sbin:/usr/bin:/sbin:/bin

# It has hung for ever on some GPUs: https://github.com/NVIDIA/DCGM/issues/247
LIMIT_S=${TRAINYARD_DCGM_LIMIT_S:-1500}
NODE=${SLURMD_NODENAME:-$(uname -n)}

end() {
  printf '%s: %s\n' "$NODE" "$2"
  exit "$1"
}

# The rows of the table that say Fail, each with the name of its test: "memory (GPU3: Fail)" in DCGM 4, "PCIe (Fail - All)"
# in DCGM 3. What is said to a test stands below it, and is not looked into: it goes on over several rows.
failed_tests() {
  awk -F '|' '
    NF >= 4 {
      name = $2; result = $3
      gsub(/^ +| +$/, "", name); gsub(/^ +| +$/, "", result)
      if (name != "") { test = name; is_text = name ~ /^(Warning|Info|Error)/ }
      if (!is_text && result ~ /^(GPU[0-9]+: )?Fail( -|$)/) print test " (" result ")"
    }' <<<"$1" | paste -s -d ',' | sed 's/,/, /g' | cut -c 1-300
}

last_line() {
  local text
  text=$(grep -v '^[[:space:]]*$' <<<"$1" | grep -v '^+' | tail -n 1) || true
  printf '%s' "${text:-it said nothing}"
}

# https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html#exit-codes
# Statuses are negative numbers of dcgm_structs.h in one byte: https://github.com/NVIDIA/DCGM/issues/158
verdict() {
  local status=$1 said=$2 tests
  tests=$(failed_tests "$said")
  case $status in
  0)
    [[ -z $tests ]] || end 1 "failed: $tests"
    [[ $said == *Pass* ]] || end 2 "not tested: dcgmi ended well, but no test passed: $(last_line "$said")"
    end 0 passed
    ;;
  205) end 1 "failed: ${tests:-see the lines above}; DCGM says to take the GPU out of use: replace the node" ;;
  226)
    [[ -n $tests ]] || end 2 "not tested: $(last_line "$said"); see /var/log/nvidia-dcgm/nvvs.log"
    end 1 "failed: $tests"
    ;;
  217) end 2 "not tested: another diagnostic runs already" ;;
  204) end 2 "not tested: the nvvs program is missing: install DCGM's package with diagnostics in the image" ;;
  124 | 137) end 2 "not tested: dcgmi took longer than $LIMIT_S seconds" ;;
  *) end 2 "not tested: dcgmi ended with status $status: $(last_line "$said")" ;;
  esac
}

command -v dcgmi >/dev/null || end 2 "not tested: dcgmi is missing: ParallelCluster's images have it on GPU nodes"
status=0
said=$(timeout --kill-after=10 "$LIMIT_S" dcgmi diag -r 2 2>&1) || status=$?
printf '%s\n' "$said" >&2
verdict "$status" "$said"
