#!/bin/sh
# Run docs/slurm for real: a controller and a daemon on this machine, in a folder of
# their own, for as long as the test takes. A task is killed at work and must come
# back. Needs Debian's slurm-wlm and root; says so and does nothing without.
set -eu
cd "$(dirname "$0")/.."
for c in slurmctld slurmd sbatch munged; do
	command -v $c >/dev/null || {
		echo "== Slurm: skipped: no $c here (Debian: slurm-wlm munge)"
		case ",${RFF_TEST_REQUIRE:-}," in *,slurm,*) exit 1 ;; esac
		exit 0
	}
done
[ "$(id -u)" = 0 ] || { echo "== Slurm: skipped: it takes root to start its daemons"; exit 0; }
root=$(pwd)
dir=$(mktemp -d)
ctld= d= munge=
stop() {
	for p in $ctld $d $munge; do kill "$p" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' INT TERM

host=$(hostname -s)
mkdir "$dir/state" "$dir/spool" "$dir/munge"
chmod 700 "$dir/munge" && chmod 755 "$dir"
head -c 1024 /dev/urandom >"$dir/munge/key" && chmod 400 "$dir/munge/key"
socket=$dir/munge/socket
munged --foreground --force --key-file="$dir/munge/key" --socket="$socket" --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" 2>"$dir/munge/err" &
munge=$!
# Ports below those that connections are given (from 32768), which may be any of them.
cat >"$dir/slurm.conf" <<CONF
ClusterName=rff
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$socket,cred_expire=5
CredType=cred/munge
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/d.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=requeue_delay=1
ReturnToService=2
KillWait=2
CompleteWait=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
for i in $(seq 50); do [ -S "$socket" ] && break; sleep 0.1; done
slurmctld -D -c 2>"$dir/ctld.err" & ctld=$!
slurmd -D -N "$host" 2>"$dir/d.err" & d=$!
for i in $(seq 100); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.3; done
sinfo -h -o %t | grep -q idle || { cat "$dir"/*.err "$dir"/*.log; exit 1; }

# Ten parts of 3,000 rows, none of which has all of three words; the first run of the fourth waits to be killed.
${GO:-go} build -o "$dir/rff" ./cmd/rff
awk 'BEGIN { srand(1); for (p = 1; p <= 10; p++) { f = "'"$dir"'/p" p ".csv"; print "a,b,town,y" >f
	for (i = 0; i < 3000; i++) { a = rand()*6; b = rand()*6; w = int(rand()*2) + (p > 5); print a "," b ",town" w "," sin(a)*cos(b) + w + rand()/10 >f } close(f) } }'
i=0
while [ $i -lt 10 ]; do i=$((i + 1)); echo "$dir/p$i.csv"; done >"$dir/parts.txt"
cat >"$dir/slow" <<SLOW
#!/bin/sh
case " \$* " in *"/p4.csv "*)
	[ -e "$dir/killed" ] || { echo \$\$ >"$dir/victim"; sleep 60; } ;;
esac
exec "$dir/rff" "\$@"
SLOW
chmod +x "$dir/slow"

cd "$dir"
mkdir int12
last=$(RFF=$dir/slow FIT='--features 128' DATA='--label y' SOLVE='--lambda 1e-4' FAN=4 sh "$root/docs/slurm/submit.sh" parts.txt model | tail -1)
exact=$(cd int12 && RFF=$dir/rff PLAN=first CELLS='--unseen zero' FIT='--features 128 --precision int12' DATA='--label y' SOLVE='--lambda 1e-4' FAN=10 sh "$root/docs/slurm/submit.sh" ../parts.txt model | tail -1)
for i in $(seq 200); do [ -s victim ] && break; sleep 0.3; done
victim=$(cat victim)
touch killed
kill -9 "$victim"
echo "== Slurm: killed the task of part 4"
for i in $(seq 800); do
	[ -s model ] && break
	sleep 0.3
done
[ -s model ] || { squeue; cat "$dir"/*.log; exit 1; }
grep -l 'back into the queue' rff-look-*.log >/dev/null || { echo "no task was requeued"; cat rff-*.log; exit 1; }

# The same sums, on a plan of all rows and added up here in the same tree, give the same bits.
mkdir here
parts=$(paste -sd , parts.txt)
"$dir/rff" gram --plan --data "$parts" --label y --features 128 --output here/plan >/dev/null
i=0
while [ $i -lt 10 ]; do i=$((i + 1)); "$dir/rff" gram --data p$i.csv --label y --like here/plan --output here/$i >/dev/null; done
"$dir/rff" merge --output here/a here/1 here/2 here/3 here/4 >/dev/null
"$dir/rff" merge --output here/b here/5 here/6 here/7 here/8 >/dev/null
"$dir/rff" merge --output here/c here/9 here/10 >/dev/null
"$dir/rff" merge --output here/all here/a here/b here/c >/dev/null
"$dir/rff" solve --gram here/all --model here/model --lambda 1e-4 >/dev/null
cmp here/model model

# One fit of all parts predicts the same, to rounding.
"$dir/rff" fit --data "$parts" --label y --features 128 --lambda 1e-4 --model here/fit >/dev/null
for m in fit model; do "$dir/rff" predict --model here/$m --data p7.csv --label y --output here/$m.csv >/dev/null; done
paste -d , here/fit.csv here/model.csv | awk -F , 'NR > 1 { d = $1 - $2; if (d < 0) d = -d; if (d > m) m = d; n++ }
	END { if (n != 3000 || m > 1e-9) { print "predictions differ by " m ", of " n " rows"; exit 1 } }'

# Sums of integers, on a plan of the first part, have the same bits added up here in another order.
"$dir/rff" gram --data p1.csv --label y --unseen zero --features 128 --precision int12 --output here/i1 >/dev/null
i=1
while [ $i -lt 10 ]; do i=$((i + 1)); "$dir/rff" gram --data p$i.csv --label y --like here/i1 --output here/i$i >/dev/null; done
"$dir/rff" merge --output here/ia here/i10 here/i2 here/i7 >/dev/null
"$dir/rff" merge --output here/iall here/i9 here/i8 here/ia here/i6 here/i5 here/i4 here/i3 here/i1 >/dev/null
"$dir/rff" solve --gram here/iall --model here/imodel --lambda 1e-4 >/dev/null
for i in $(seq 800); do
	[ -s int12/model ] && break
	sleep 0.3
done
[ -s int12/model ] || { squeue; cat "$dir"/int12/*.log; exit 1; }
cmp here/imodel int12/model
echo "== Slurm: jobs $last and $exact have the models of the same sums added up here, bit for bit, and the predictions of rff fit"
