# Writes visits of made-up people, 20 of each, in order: awk -f people.awk > visits.csv
# The result of a visit depends on the person, not on the inputs, which only resemble each other.
function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 }
BEGIN {
	state = 2025
	print "person,pulse,pressure,result"
	for (person = 1; person <= 50; person++) {
		pulse = 50 + 40 * uniform()
		pressure = 100 + 60 * uniform()
		result = 10 * uniform()
		for (visit = 0; visit < 20; visit++)
			printf "P%02d,%.1f,%.1f,%.2f\n", person, pulse + uniform(), pressure + uniform(), result + uniform()
	}
}
