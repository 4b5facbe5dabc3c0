#!/bin/sh
# A Slurm controller of its own with one node, this machine, with two slots; all its files are
# in a folder. For root, with Debian's slurm-wlm and munge.
#
#   sh slurm.sh start <folder>    writes <folder>/slurm.conf, for SLURM_CONF
#   sh slurm.sh stop <folder>
set -eu

folder=$2
export SLURM_CONF="$folder/slurm.conf"

start() {
  name=$(hostname -s)
  mkdir -p "$folder/state" "$folder/spool"
  chmod 755 "$folder"
  head -c 1024 /dev/urandom >"$folder/munge.key"
  chmod 600 "$folder/munge.key"
  cat >"$SLURM_CONF" <<EOF
ClusterName=local
SlurmctldHost=$name
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName=$name CPUs=2 State=UNKNOWN
PartitionName=here Nodes=ALL Default=YES State=UP
EOF
  munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
    --seed-file="$folder/munge.seed" --force 2>/dev/null
  slurmctld -c
  slurmd
  for try in 1 2 3 4 5 6 7 8 9 10; do
    if sinfo --noheader --format=%t | grep -q idle; then return; fi
    sleep 1
  done
  echo "the node of Slurm does not become idle" >&2
  return 1
}

stop() {
  for daemon in slurmd slurmctld munged; do
    if [ -s "$folder/$daemon.pid" ]; then kill "$(cat "$folder/$daemon.pid")" || true; fi
  done
}

case $1 in
start) start ;;
stop) stop ;;
esac
